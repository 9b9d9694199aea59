package org.p3ostream.policy.sampling;

/** One sampled response. */
public final class SampledResponse {

  /** Why sampling ended. */
  public enum Finish {
    /** The last token is end-of-sequence, or completed a stop string. */
    STOP,
    /** The length limit was reached. */
    LENGTH,
    /** Sampling was cut short before the response had come to its end. */
    ABORTED
  }

  private final int[] tokens;
  private final float[] logprobs;
  private final Finish finish;
  private final int[] exchanges;

  /** One that was sampled by the same weights from its first token to its last. */
  public SampledResponse(int[] tokens, float[] logprobs, Finish finish) {
    this(tokens, logprobs, finish, new int[0]);
  }

  /**
   * @param exchanges see {@link #exchanges()}
   */
  public SampledResponse(int[] tokens, float[] logprobs, Finish finish, int[] exchanges) {
    this.tokens = tokens;
    this.logprobs = logprobs;
    this.finish = finish;
    this.exchanges = exchanges;
  }

  /** Token ids, [T], T ≥ 1. Owned by the caller. */
  public int[] tokens() {
    return tokens;
  }

  /**
   * log π_b of each token, nats, [T], under the distribution that the sampler's {@link
   * RecordedLogprob} names. Owned by the caller.
   */
  public float[] logprobs() {
    return logprobs;
  }

  public Finish finish() {
    return finish;
  }

  /**
   * Tokens from which on the next weights sampled, ascending, each in [1, T). Owned by the caller.
   */
  public int[] exchanges() {
    return exchanges;
  }
}
