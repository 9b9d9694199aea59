package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.deploy.progress.LedgerFixtures.genesis;
import static org.p3ostream.deploy.progress.LedgerFixtures.ofLearner;
import static org.p3ostream.deploy.progress.LedgerFixtures.step;

import org.junit.jupiter.api.Test;

class StepSeriesTest {

  private final StepSeries series = new StepSeries();

  @Test
  void timeBetweenTwoLearnersIsNoStepsTime() {
    series.add(genesis(0));
    series.add(step(0, 1, 200, 0, 1, 0, 1));
    series.add(ofLearner(2, step(1, 2, 3_600_000, 0, 1, 0, 1)));
    series.add(ofLearner(2, step(2, 3, 3_600_300, 0, 1, 0, 1)));
    assertThat(series.rows()).extracting(StepRow::stepMillis).containsExactly(200L, null, 300L);
  }
}
