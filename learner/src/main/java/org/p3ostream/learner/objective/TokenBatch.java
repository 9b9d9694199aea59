package org.p3ostream.learner.objective;

/**
 * Per-token inputs of an objective. Owns nothing: the arrays are the caller's and are not changed.
 *
 * <p>All arrays are [T]. Entries whose {@code valid} is false may hold anything, NaN included.
 */
public final class TokenBatch {
  private final double[] logprobs;
  private final double[] behaviorLogprobs;
  private final double[] advantages;
  private final boolean[] valid;

  /**
   * @param logprobs log π_θ, nats
   * @param behaviorLogprobs log π_b, nats
   * @param advantages A, dimensionless
   * @param valid whether the token takes part
   */
  public TokenBatch(
      double[] logprobs, double[] behaviorLogprobs, double[] advantages, boolean[] valid) {
    if (behaviorLogprobs.length != logprobs.length
        || advantages.length != logprobs.length
        || valid.length != logprobs.length) {
      throw new IllegalArgumentException(
          "lengths differ: logprobs %d, behaviorLogprobs %d, advantages %d, valid %d"
              .formatted(
                  logprobs.length, behaviorLogprobs.length, advantages.length, valid.length));
    }
    this.logprobs = logprobs;
    this.behaviorLogprobs = behaviorLogprobs;
    this.advantages = advantages;
    this.valid = valid;
  }

  /** T, valid or not. */
  public int length() {
    return logprobs.length;
  }

  public boolean isValid(int t) {
    return valid[t];
  }

  public double logprob(int t) {
    return logprobs[t];
  }

  public double advantage(int t) {
    return advantages[t];
  }

  /** l = log π_θ − log π_b, nats. */
  public double logRatio(int t) {
    return logprobs[t] - behaviorLogprobs[t];
  }

  /** Log ratios of all tokens, [T]; meaningless where not valid. */
  public double[] logRatios() {
    double[] logRatios = new double[length()];
    for (int t = 0; t < logRatios.length; t++) {
      logRatios[t] = logRatio(t);
    }
    return logRatios;
  }

  /** Which tokens take part, [T]; a copy. */
  public boolean[] validMask() {
    return valid.clone();
  }
}
