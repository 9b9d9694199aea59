package org.p3ostream.learner.runtime;

import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * A window that was settled, with the configuration that was in force.
 *
 * @param event STEP or NO_OP
 * @param eventHash its hash
 * @param configuration definition as JSON
 */
record LedgerStep(StepEvent event, String eventHash, String configuration) {

  boolean isTrained() {
    return event.getKind() == StepKind.STEP;
  }

  /** Whether the recorded behaviour log-probs were audited in this step. */
  boolean isAudited() {
    return event.getMetrics() != null && !event.getMetrics().getBehaviorLogprobGaps().isEmpty();
  }

  /** Whether the exact KL is among the figures of this step, in its loss or beside it. */
  boolean hasExactKl() {
    return event.getMetrics() != null && event.getMetrics().getBehaviorKlExactMean() != null;
  }
}
