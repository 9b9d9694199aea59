package org.p3ostream.learner.window;

/**
 * One response as plain arrays, all [T]. The arrays belong to this object; callers do not change
 * them.
 */
public final class TrainingResponse {
  private final int[] tokens;
  private final float[] behaviorLogprobs;
  private final boolean[] valid;
  private final long[] policyVersions;
  private final BehaviorSampling sampling;
  private final double reward;
  private final boolean truncated;

  TrainingResponse(
      int[] tokens,
      float[] behaviorLogprobs,
      boolean[] valid,
      long[] policyVersions,
      BehaviorSampling sampling,
      double reward,
      boolean truncated) {
    this.tokens = tokens;
    this.behaviorLogprobs = behaviorLogprobs;
    this.valid = valid;
    this.policyVersions = policyVersions;
    this.sampling = sampling;
    this.reward = reward;
    this.truncated = truncated;
  }

  /** T. */
  public int length() {
    return tokens.length;
  }

  public int token(int t) {
    return tokens[t];
  }

  /** log π_b, nats. */
  public float behaviorLogprob(int t) {
    return behaviorLogprobs[t];
  }

  /** Whether the token is in ESS and loss: lossMask and behaviorLogprobMask. */
  public boolean isValid(int t) {
    return valid[t];
  }

  /** Version that sampled the token. */
  public long policyVersion(int t) {
    return policyVersions[t];
  }

  public BehaviorSampling sampling() {
    return sampling;
  }

  public double reward() {
    return reward;
  }

  /** Whether it ended by the length limit. */
  public boolean truncated() {
    return truncated;
  }
}
