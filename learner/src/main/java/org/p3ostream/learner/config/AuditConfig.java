package org.p3ostream.learner.config;

/**
 * What the learner checks of what it is told.
 *
 * @param behaviorLogprobs whether the recorded behaviour log-probs are recomputed from the snapshot
 *     of their version, and the gap reported per producer
 * @param exactKl whether KL(π_θ ‖ π_b) over the whole vocabulary is measured where the objective
 *     does not take it: a forward pass more of the policy and one of each version that sampled. The
 *     weights are the same bits with and without
 */
public record AuditConfig(boolean behaviorLogprobs, boolean exactKl) {

  public static AuditConfig defaults() {
    return new AuditConfig(false, false);
  }
}
