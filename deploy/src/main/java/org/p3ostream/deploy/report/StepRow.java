package org.p3ostream.deploy.report;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * What a report keeps of a passed window.
 *
 * @param kind STEP or NO_OP
 * @param policyVersion version after the step
 * @param groups groups of the window
 * @param committedAt when the event was prepared, milliseconds since the epoch
 * @param stepMillis time since the window before, or GENESIS; null if that event was not seen
 * @param metrics the learner's report; null for NO_OP
 * @param weightsSha256 digest of the weights after the step, hexadecimal
 */
record StepRow(
    long step,
    String kind,
    long policyVersion,
    int groups,
    long committedAt,
    @Nullable Long stepMillis,
    @Nullable StepMetrics metrics,
    PhaseDurations phases,
    String weightsSha256) {

  /** Tokens in the loss per second of the step; null if one of them is unknown. */
  @Nullable Double trainedTokensPerSecond() {
    return metrics == null || stepMillis == null || stepMillis <= 0
        ? null
        : metrics.getValidTokens() * 1e3 / stepMillis;
  }
}
