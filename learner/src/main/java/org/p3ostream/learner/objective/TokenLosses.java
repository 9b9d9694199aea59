package org.p3ostream.learner.objective;

/**
 * Result of an objective on some tokens of a step. Sums are in token order, float64.
 *
 * <p>{@code loss = policyLoss + klLoss = Σ_t tokenLoss_t / N}; micro-batches of one step add up.
 */
public final class TokenLosses {
  private final double[] tokenLoss;
  private final double[] gradient;
  private final double policyLoss;
  private final double klLoss;
  private final long limitedTokens;

  TokenLosses(
      double[] tokenLoss, double[] gradient, double policyLoss, double klLoss, long limitedTokens) {
    this.tokenLoss = tokenLoss;
    this.gradient = gradient;
    this.policyLoss = policyLoss;
    this.klLoss = klLoss;
    this.limitedTokens = limitedTokens;
  }

  /** Loss of each token before the division by N, [T]; 0 where not valid. Owned by the caller. */
  public double[] tokenLoss() {
    return tokenLoss;
  }

  /** d loss / d log π_θ of each token, division by N included, [T]; 0 where not valid. */
  public double[] gradient() {
    return gradient;
  }

  /** Policy part of the loss, divided by N. */
  public double policyLoss() {
    return policyLoss;
  }

  /** KL part of the loss with its weight, divided by N; 0 for objectives without one. */
  public double klLoss() {
    return klLoss;
  }

  /** policyLoss + klLoss. */
  public double loss() {
    return policyLoss + klLoss;
  }

  /** Tokens whose ratio was above the cap (P3O) or whose gradient the clip removed (GRPO). */
  public long limitedTokens() {
    return limitedTokens;
  }
}
