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
}
