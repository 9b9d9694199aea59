package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.progress.LedgerFixtures;

class RunningMeansTest {

  @Test
  void rewardIsTheMeanOfAtMostTenSteps() {
    StepSeries series = Series.ofSteps(12, (step, metrics) -> metrics.setRewardMean((double) step));

    Double[] means = RunningMeans.reward(series.rows());

    assertThat(means[0]).isEqualTo(0);
    assertThat(means[3]).isEqualTo(1.5);
    assertThat(means[11]).isEqualTo((2 + 11) / 2.0);
  }

  @Test
  void throughputIsTokensOverTimeNotAMeanOfRates() {
    StepSeries series = new StepSeries();
    series.add(LedgerFixtures.genesis(0));
    series.add(LedgerFixtures.step(0, 1, 1_000, 0, 1, 0, 100));
    series.add(LedgerFixtures.step(1, 2, 1_100, 0, 1, 0, 100));

    assertThat(RunningMeans.trainedTokensPerSecond(series.rows())[1]).isEqualTo(200 / 1.1);
  }

  @Test
  void stepsWithoutAValueHaveNoMeanAndAreLeftOut() {
    StepSeries series = new StepSeries();
    series.add(LedgerFixtures.step(0, 1, 1_000, 0.4, 1, 0, 100));
    series.add(LedgerFixtures.noOp(1, 1, 1_100));
    series.add(LedgerFixtures.step(2, 2, 1_200, 0.6, 1, 0, 100));

    assertThat(RunningMeans.reward(series.rows())).containsExactly(0.4, null, 0.5);
    assertThat(RunningMeans.trainedTokensPerSecond(series.rows()))
        .containsExactly(null, null, 1_000.0);
  }
}
