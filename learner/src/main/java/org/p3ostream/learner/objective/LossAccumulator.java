package org.p3ostream.learner.objective;

/** Collects the losses of tokens in token order. Tokens that are not added have loss 0. */
final class LossAccumulator {
  private final double[] tokenLoss;
  private final double[] gradient;
  private final long stepTokens;
  private double policySum;
  private double klSum;
  private long limited;

  LossAccumulator(TokenBatch tokens, StepContext context) {
    tokenLoss = new double[tokens.length()];
    gradient = new double[tokens.length()];
    stepTokens = context.validTokens();
  }

  /**
   * @param policy loss of token t, undivided
   * @param slope d policy / d log π_θ
   * @param isLimited whether a cap or clip acted
   */
  void add(int t, double policy, double slope, boolean isLimited) {
    add(t, policy, 0, slope, isLimited);
  }

  /**
   * @param kl weighted KL term of token t, undivided
   * @param slope d (policy + kl) / d log π_θ
   */
  void add(int t, double policy, double kl, double slope, boolean isLimited) {
    tokenLoss[t] = policy + kl;
    gradient[t] = slope / stepTokens;
    policySum += policy;
    klSum += kl;
    limited += isLimited ? 1 : 0;
  }

  TokenLosses losses() {
    return new TokenLosses(
        tokenLoss, gradient, policySum / stepTokens, klSum / stepTokens, 0, limited);
  }
}
