package org.p3ostream.deploy.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.p3ostream.deploy.progress.LedgerFixtures.control;
import static org.p3ostream.deploy.progress.LedgerFixtures.genesis;
import static org.p3ostream.deploy.progress.LedgerFixtures.interim;
import static org.p3ostream.deploy.progress.LedgerFixtures.noOp;
import static org.p3ostream.deploy.progress.LedgerFixtures.ofLearner;
import static org.p3ostream.deploy.progress.LedgerFixtures.step;

import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;

class RunStatisticsTest {

  private final RunStatistics run = new RunStatistics();

  @Test
  void figuresAreThoseOfTheTrainedSteps() {
    run.add(genesis(1_000));
    run.add(step(0, 1, 2_000, 0.2, 1.0, 0, 100));
    run.add(step(1, 2, 3_000, 0.4, 0.5, 1, 300));
    assertThat(run.rewardOfFirst(1)).isEqualTo(0.2);
    assertThat(run.rewardOfLast(1)).isEqualTo(0.4);
    assertThat(run.rewardOfLast(10)).isCloseTo(0.3, within(1e-12));
    assertThat(run.essMin()).isEqualTo(0.5);
    assertThat(run.essMean()).isEqualTo(0.75);
    assertThat(run.stalenessMin()).isZero();
    assertThat(run.stalenessMax()).isEqualTo(1);
    assertThat(run.trainedTokens()).isEqualTo(400);
    assertThat(run.trainSeconds()).isEqualTo(2);
    assertThat(run.policyVersion()).isEqualTo(2);
    assertThat(run.weightsSha256()).isEqualTo("sha-2");
  }

  @Test
  void stalenessMeanCountsTokensNotSteps() {
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 100));
    run.add(step(1, 2, 2, 0, 1, 1, 300));
    assertThat(run.stalenessMean()).isEqualTo(0.75);
  }

  @Test
  void lagIsTheLargestOfThoseThatAreRecorded() {
    assertThat(run.lagWindowsMax()).isZero();
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 1)); // from before it was recorded
    assertThat(run.lagWindowsMax()).isZero();
    for (int lag : new int[] {1, 3, 2}) {
      StepEvent event = step(lag, 1 + lag, 1, 0, 1, 0, 1);
      StepMetrics lagging = StepMetrics.newBuilder(event.getMetrics()).setLagWindows(lag).build();
      run.add(StepEvent.newBuilder(event).setMetrics(lagging).build());
    }
    assertThat(run.lagWindowsMax()).isEqualTo(3);
  }

  @Test
  void phasesAreMeansOverTrainedSteps() {
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 1));
    run.add(step(1, 2, 2, 0, 1, 0, 1));
    assertThat(run.phases())
        .containsEntry("waitMillis", 15.0)
        .containsEntry("prePassMillis", 2.0)
        .containsEntry("updateMillis", 3.0)
        .containsEntry("encodeMillis", 4.0)
        .containsEntry("commitMillis", 5.0)
        .containsEntry("checkpointMillis", 6.0);
  }

  @Test
  void hasPassedCountsWindowsWithoutTokens() {
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 1));
    assertThat(run.hasPassed(2)).isFalse();
    run.add(noOp(1, 1, 2));
    assertThat(run.hasPassed(2)).isTrue();
    assertThat(run.stepsPassed()).isEqualTo(2);
  }

  @Test
  void hasPassedIsFalseWhileAWindowIsWaitedFor() {
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 1));
    run.add(interim(1, 1, 2));
    assertThat(run.hasPassed(2)).isFalse();
    assertThat(run.stepsPassed()).isEqualTo(1);
  }

  @Test
  void hasPassedStaysTrueWhenSomethingElseIsRecordedAtTheEnd() {
    run.add(genesis(0));
    run.add(step(0, 1, 1, 0, 1, 0, 1));
    run.add(control(1, 1, 2));
    assertThat(run.hasPassed(1)).isTrue();
    assertThat(run.stepsPassed()).isEqualTo(1);
  }

  @Test
  void trainSecondsLeaveOutTheTimeBetweenTwoLearners() {
    run.add(genesis(0));
    run.add(step(0, 1, 1_000, 0, 1, 0, 1));
    run.add(ofLearner(2, step(1, 2, 3_600_000, 0, 1, 0, 1)));
    run.add(ofLearner(2, step(2, 3, 3_602_000, 0, 1, 0, 1)));
    assertThat(run.trainSeconds()).isEqualTo(3);
    assertThat(run.learnerStarts()).isEqualTo(2);
  }

  @Test
  void nothingHasPassedAtTheBeginning() {
    assertThat(run.hasPassed(1)).isFalse();
    assertThat(run.stepsPassed()).isZero();
    assertThat(run.newest()).isNull();
    run.add(genesis(0));
    assertThat(run.hasPassed(1)).isFalse();
    assertThat(run.stepsPassed()).isZero();
  }
}
