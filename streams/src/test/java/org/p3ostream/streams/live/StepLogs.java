package org.p3ostream.streams.live;

import org.p3ostream.streams.fixture.Records;

/** Filled step logs for tests of what shows them. */
public final class StepLogs {

  private StepLogs() {}

  /** Steps 0 … count − 1. */
  public static StepLog ofSteps(int count) {
    StepLog log = new StepLog(Records.RUN);
    for (long step = 0; step < count; step++) {
      log.add(Records.step(step).build());
    }
    return log;
  }
}
