package org.p3ostream.streams.live;

import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.fixture.Records;

/** Filled step logs for tests of what shows them. */
public final class StepLogs {

  private StepLogs() {}

  /** Steps 0 … count − 1. */
  public static StepLog ofSteps(int count) {
    StepLog log = new StepLog(Records.RUN);
    addSteps(log, 0, count);
    return log;
  }

  /** Adds steps {@code from} … {@code end} − 1, as the reader of the log does. */
  public static void addSteps(StepLog log, long from, long end) {
    for (long step = from; step < end; step++) {
      log.add(Records.step(step).build());
    }
  }

  /** Adds the event that opens a run, of a schedule of 150 steps. */
  public static void addGenesis(StepLog log, long committedAt) {
    log.add(
        Records.event(StepKind.GENESIS, -1)
            .setCommittedAt(committedAt)
            .setScheduleSteps(150L)
            .build());
  }

  /** Adds an event, as the reader of the log does. */
  public static void add(StepLog log, StepEvent event) {
    log.add(event);
  }

  /** An event as it is shown. */
  public static StepView view(StepEvent event) {
    return StepView.of(event, 0, null);
  }
}
