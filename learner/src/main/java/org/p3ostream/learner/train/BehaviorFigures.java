package org.p3ostream.learner.train;

import org.jspecify.annotations.Nullable;

/** What recomputing the behaviour of a micro-batch told about its recorded log-probs. */
final class BehaviorFigures {

  /** Nothing was recomputed. */
  static final BehaviorFigures NONE = new BehaviorFigures(null, null);

  private final double @Nullable [] logprobs; // [N]
  private final @Nullable Long keptSetMismatches;

  BehaviorFigures(double @Nullable [] logprobs, @Nullable Long keptSetMismatches) {
    this.logprobs = logprobs;
    this.keptSetMismatches = keptSetMismatches;
  }

  /** Recomputed log-probs of what was recorded, nats, [N]; null without an audit. */
  double @Nullable [] logprobs() {
    return logprobs;
  }

  /** Tokens that their own filters would have removed; null if no token was sampled with any. */
  @Nullable Long keptSetMismatches() {
    return keptSetMismatches;
  }
}
