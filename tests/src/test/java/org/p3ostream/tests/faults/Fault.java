package org.p3ostream.tests.faults;

import org.p3ostream.deploy.failpoint.Failpoint;

/**
 * One fault of a schedule.
 *
 * @param index counted from 0 over the whole schedule
 * @param kind what happens
 * @param failpoint where a learner ends or stops itself; null for kinds without one
 * @param afterSteps it strikes once so many of its windows are committed
 * @param delayMillis and so much later
 * @param victim which of several, by index
 */
record Fault(
    int index, FaultKind kind, Failpoint failpoint, int afterSteps, int delayMillis, int victim) {

  @Override
  public String toString() {
    return "%d %s%s after %d steps and %d ms, victim %d"
        .formatted(
            index, kind, failpoint == null ? "" : " " + failpoint, afterSteps, delayMillis, victim);
  }
}
