package org.p3ostream.learner.objective;

/**
 * Result of an objective on some tokens of a step. Sums are in token order, float64.
 *
 * <p>{@code loss = policyLoss + klLoss + regularizationLoss = Σ_t tokenLoss_t / N}; micro-batches
 * of one step add up.
 */
public final class TokenLosses {
  private final double[] tokenLoss;
  private final double[] gradient;
  private final double policyLoss;
  private final double klLoss;
  private final double regularizationLoss;
  private final long limitedTokens;

  /**
   * Takes over the arrays.
   *
   * @param tokenLoss undivided, [T]
   * @param gradient divided by N, [T]
   * @param policyLoss divided by N
   * @param klLoss divided by N
   * @param regularizationLoss divided by N
   */
  public TokenLosses(
      double[] tokenLoss,
      double[] gradient,
      double policyLoss,
      double klLoss,
      double regularizationLoss,
      long limitedTokens) {
    this.tokenLoss = tokenLoss;
    this.gradient = gradient;
    this.policyLoss = policyLoss;
    this.klLoss = klLoss;
    this.regularizationLoss = regularizationLoss;
    this.limitedTokens = limitedTokens;
  }

  /** Loss of each token before the division by N, [T]; 0 where not valid. Owned by the caller. */
  public double[] tokenLoss() {
    return tokenLoss;
  }

  /**
   * d loss / d log π_θ of each token, division by N included, [T]; 0 where not valid. Without the
   * gradient of terms that are functions of the whole distribution ({@link KlMode#EXACT}, entropy):
   * theirs goes to the logits.
   */
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

  /** What {@link Regularization} added, divided by N. */
  public double regularizationLoss() {
    return regularizationLoss;
  }

  /** policyLoss + klLoss + regularizationLoss. */
  public double loss() {
    return policyLoss + klLoss + regularizationLoss;
  }

  /**
   * Tokens whose coefficient was capped or clipped (P3O, CISPO, truncated importance sampling,
   * decoupled PPO) or whose gradient a clip removed (GRPO, PPO, DAPO, GSPO, decoupled PPO).
   */
  public long limitedTokens() {
    return limitedTokens;
  }
}
