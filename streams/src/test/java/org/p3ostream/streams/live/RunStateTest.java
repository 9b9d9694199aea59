package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.p3ostream.streams.fixture.Records;

class RunStateTest {
  private final StepLog log = new StepLog(Records.RUN);

  @Test
  void aRunWithoutStepsWaitsUntilItsFirstIsOverdue() {
    assertThat(RunState.of(log, Records.NOW)).isEqualTo(RunState.WAITING);

    StepLogs.addGenesis(log, Records.NOW);

    assertThat(RunState.of(log, Records.NOW + 120_000)).isEqualTo(RunState.WAITING);
    assertThat(RunState.of(log, Records.NOW + 120_001)).isEqualTo(RunState.STALLED);
  }

  @Test
  void aRunStallsAfterAMinuteWhenItsStepsAreShort() {
    StepLogs.addSteps(log, 0, 3);

    assertThat(RunState.of(log, Records.NOW + 60_000)).isEqualTo(RunState.RUNNING);
    assertThat(RunState.of(log, Records.NOW + 60_001)).isEqualTo(RunState.STALLED);
  }

  @Test
  void aRunStallsAfterTenUsualStepsWhenTheyAreLong() {
    for (long i = 0; i < 5; i++) {
      log.add(Records.step(i).setCommittedAt(Records.NOW + i * 20_000).build());
    }
    long last = Records.NOW + 80_000;

    assertThat(RunState.of(log, last + 200_000)).isEqualTo(RunState.RUNNING);
    assertThat(RunState.of(log, last + 200_001)).isEqualTo(RunState.STALLED);
  }

  @Test
  void aRunIsFinishedWhenItsScheduleIsThroughAndNoFurtherStepsCome() {
    StepLogs.addGenesis(log, Records.NOW);
    StepLogs.addSteps(log, 148, 150);

    assertThat(RunState.of(log, Records.NOW + 10_000)).isEqualTo(RunState.RUNNING);
    assertThat(RunState.of(log, Records.NOW + 10_001)).isEqualTo(RunState.FINISHED);
    assertThat(RunState.of(log, Records.NOW + 10_000_000)).isEqualTo(RunState.FINISHED);
  }

  @Test
  void aRunWithMoreStepsThanItsScheduleIsNotFinishedWithThat() {
    StepLog longer = new StepLog(Records.RUN, 2_000L);
    StepLogs.addGenesis(longer, Records.NOW);
    StepLogs.addSteps(longer, 1_648, 1_650);
    assertThat(RunState.of(longer, Records.NOW + 10_001)).isEqualTo(RunState.RUNNING);
    assertThat(RunState.of(longer, Records.NOW + 60_001)).isEqualTo(RunState.STALLED);

    StepLogs.addSteps(longer, 1_998, 2_000);

    assertThat(RunState.of(longer, Records.NOW + 10_001)).isEqualTo(RunState.FINISHED);
  }

  @Test
  void aRunWithFewerStepsThanItsScheduleIsFinishedAfterThem() {
    StepLog shorter = new StepLog(Records.RUN, 100L);
    StepLogs.addGenesis(shorter, Records.NOW);
    StepLogs.addSteps(shorter, 98, 100);

    assertThat(RunState.of(shorter, Records.NOW + 60_001)).isEqualTo(RunState.FINISHED);
  }
}
