package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of staleness that contradict each other are refused, and the message says why. */
class StalenessGatesTest {

  @ParameterizedTest
  @CsvSource({"0, 1", "0, 4", "1, 2", "2, 4"})
  void holdBackBeyondWhatIsDispatchedIsRefused(int maxStaleness, int holdBack) {
    assertThat(
            problem("dispatch.maxStaleness=" + maxStaleness, "learner.holdBackWindows=" + holdBack))
        .isEqualTo(
            "learner.holdBackWindows: %d must be <= dispatch.maxStaleness (%d): no more windows than that are dispatched beyond the one to be trained, so that the learner would wait for windows that nobody was asked for"
                .formatted(holdBack, maxStaleness));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "8, 4"})
  void holdBackOfWindowsThatAreDispatchedIsTaken(int maxStaleness, int holdBack) {
    P3oConfig config =
        ConfigLoader.load(
            null,
            List.of(
                "dispatch.maxStaleness=" + maxStaleness, "learner.holdBackWindows=" + holdBack));
    assertThat(config.learner().holdBackWindows()).isEqualTo(holdBack);
  }

  @Test
  void holdBackOfLessThanNothingIsRefused() {
    assertThat(problem("learner.holdBackWindows=-1"))
        .isEqualTo("learner.holdBackWindows: -1 must be >= 0 windows");
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 0", "8, 0, 6", "1, 3, 2", "4, 2, 4"})
  void boundOfStalenessBelowWhatAReplacementMayHaveIsRefused(
      int syncInterval, int versionsBack, int bound) {
    assertThat(
            problem(
                "dispatch.syncInterval=" + syncInterval,
                "dispatch.versionsBack=" + versionsBack,
                "window.maxStaleness=" + bound))
        .isEqualTo(
            "window.maxStaleness: %d must be >= dispatch.syncInterval - 1 + dispatch.versionsBack (%d): a group that is sampled again asks for the version in force, rounded down to a multiple of the interval, may be sampled by versions before it, and would be too stale again"
                .formatted(bound, syncInterval - 1 + versionsBack));
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "8, 7"})
  void boundOfStalenessThatAReplacementKeepsIsTaken(int syncInterval, int bound) {
    P3oConfig config =
        ConfigLoader.load(
            null, List.of("dispatch.syncInterval=" + syncInterval, "window.maxStaleness=" + bound));
    assertThat(config.window().maxStaleness()).isEqualTo(bound);
  }

  private static String problem(String... overrides) {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.load(null, List.of(overrides)));
    assertThat(refused).isNotNull();
    assertThat(refused.problems()).hasSize(1);
    return refused.problems().get(0);
  }
}
