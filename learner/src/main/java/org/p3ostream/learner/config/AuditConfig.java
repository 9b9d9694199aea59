package org.p3ostream.learner.config;

/**
 * What the learner checks of what it is told.
 *
 * @param behaviorLogprobs whether the recorded behaviour log-probs are recomputed from the snapshot
 *     of their version, and the gap reported per producer
 */
public record AuditConfig(boolean behaviorLogprobs) {

  public static AuditConfig defaults() {
    return new AuditConfig(false);
  }
}
