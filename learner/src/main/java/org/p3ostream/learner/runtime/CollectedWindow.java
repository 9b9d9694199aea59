package org.p3ostream.learner.runtime;

import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * A window to be trained, and what was seen while it was waited for: lag and time, which nothing
 * that is trained depends on.
 *
 * @param lagWindows complete windows behind it, as far as the topic was read
 * @param holdBackSeconds how long it was complete and waited for those behind it
 */
record CollectedWindow(Window window, int lagWindows, double holdBackSeconds) {

  /** The metrics of the window, which was trained, and all that. */
  StepMetrics.Builder describe(StepMetrics metrics) {
    return StepMetrics.newBuilder(metrics)
        .setLagWindows(lagWindows)
        .setAgeHoldBackSeconds(holdBackSeconds)
        .setAgeQueueSeconds(metrics.getAgeMeanSeconds() - holdBackSeconds);
  }
}
