package org.p3ostream.learner.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.learner.config.OptimizerConfig;

class LearningRateScheduleTest {

  private final LearningRateSchedule schedule = new LearningRateSchedule(2, 110, 10, 0.1);

  /** Warm-up of ten updates, half-way down at 60, the floor from 110 on. */
  @ParameterizedTest
  @CsvSource({
    "0, 0.2",
    "4, 1.0",
    "9, 2.0",
    "10, 2.0",
    "60, 1.1",
    "110, 0.2",
    "111, 0.2",
    "100000, 0.2"
  })
  void atFollowsWarmUpCosineAndFloor(long updatesBefore, double expected) {
    assertThat(schedule.at(updatesBefore)).isCloseTo(expected, within(1e-14));
  }

  @Test
  void atPassesThroughTheClosedFormValuesOfTheCosine() {
    LearningRateSchedule thirds = new LearningRateSchedule(1, 90, 0, 0);
    assertThat(thirds.at(0)).isEqualTo(1);
    assertThat(thirds.at(30)).isCloseTo(0.75, within(1e-15));
    assertThat(thirds.at(60)).isCloseTo(0.25, within(1e-15));
    assertThat(thirds.at(90)).isZero();
  }

  @Test
  void atNeverRisesAfterTheWarmUp() {
    for (long update = 10; update < 130; update++) {
      assertThat(schedule.at(update + 1)).isLessThanOrEqualTo(schedule.at(update));
    }
  }

  @Test
  void ofRoundsTheWarmUpToWholeUpdates() {
    LearningRateSchedule of =
        LearningRateSchedule.of(
            new OptimizerConfig(1e-3, 0.9, 0.95, 1e-8, 0.01, 1, 0.05, 0.1, 150));
    assertThat(of).isEqualTo(new LearningRateSchedule(1e-3, 150, 8, 0.1)); // 7.5 rounded
  }
}
