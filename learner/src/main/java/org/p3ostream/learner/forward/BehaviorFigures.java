package org.p3ostream.learner.forward;

import org.jspecify.annotations.Nullable;

/** What recomputing the behaviour of a micro-batch told about its recorded log-probs. */
public final class BehaviorFigures {

  /** Nothing was recomputed. */
  public static final BehaviorFigures NONE = new BehaviorFigures(null, null);

  private final double @Nullable [] logprobs; // [N]
  private final double @Nullable [] kl; // [N]
  private final @Nullable Long keptSetMismatches;

  /**
   * Takes over the array.
   *
   * @param logprobs [N], nats; null without an audit
   * @param keptSetMismatches null if no token was sampled with filters
   */
  public BehaviorFigures(double @Nullable [] logprobs, @Nullable Long keptSetMismatches) {
    this(logprobs, keptSetMismatches, null);
  }

  private BehaviorFigures(
      double @Nullable [] logprobs, @Nullable Long keptSetMismatches, double @Nullable [] kl) {
    this.logprobs = logprobs;
    this.keptSetMismatches = keptSetMismatches;
    this.kl = kl;
  }

  /**
   * The same with the KL of each token. Takes over the array.
   *
   * @param measured [N], nats
   */
  BehaviorFigures withKl(double[] measured) {
    return new BehaviorFigures(logprobs, keptSetMismatches, measured);
  }

  /** Recomputed log-probs of what was recorded, nats, [N]; null without an audit. */
  public double @Nullable [] logprobs() {
    return logprobs;
  }

  /** KL(π_θ ‖ π_b) over the vocabulary, nats, [N]; null unless it was only to be measured. */
  public double @Nullable [] kl() {
    return kl;
  }

  /** Tokens that their own filters would have removed; null if no token was sampled with any. */
  public @Nullable Long keptSetMismatches() {
    return keptSetMismatches;
  }
}
