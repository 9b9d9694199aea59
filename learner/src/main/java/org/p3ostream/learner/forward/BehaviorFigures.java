package org.p3ostream.learner.forward;

import org.jspecify.annotations.Nullable;

/** What recomputing the behaviour of a micro-batch told about its recorded log-probs. */
public final class BehaviorFigures {

  /** Nothing was recomputed. */
  public static final BehaviorFigures NONE = new BehaviorFigures(null, null);

  private final double @Nullable [] logprobs; // [N]
  private final @Nullable Long keptSetMismatches;

  /**
   * Takes over the array.
   *
   * @param logprobs [N], nats; null without an audit
   * @param keptSetMismatches null if no token was sampled with filters
   */
  public BehaviorFigures(double @Nullable [] logprobs, @Nullable Long keptSetMismatches) {
    this.logprobs = logprobs;
    this.keptSetMismatches = keptSetMismatches;
  }

  /** Recomputed log-probs of what was recorded, nats, [N]; null without an audit. */
  public double @Nullable [] logprobs() {
    return logprobs;
  }

  /** Tokens that their own filters would have removed; null if no token was sampled with any. */
  public @Nullable Long keptSetMismatches() {
    return keptSetMismatches;
  }
}
