package org.p3ostream.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A short soak; the long one is {@link Soak}. */
@Tag("endurance")
class FaultsIT {

  private static final int FAULTS = 20;

  @Test
  void runSurvivesFaultsOfEveryKindWithTheWeightsOfItsTwin(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
    long seed = Long.getLong("p3o.test.seed", System.nanoTime() % 1_000_000);
    System.out.printf("seed %d (-Dp3o.test.seed=%d gives the same schedule)%n", seed, seed);
    List<Fault> schedule =
        FaultSchedule.of(
            seed, FAULTS, List.copyOf(EnumSet.complementOf(EnumSet.of(FaultKind.FAILPOINT))));

    SoakReport report =
        Soak.run(
            directory,
            seed,
            schedule,
            EnumSet.allOf(Topology.class),
            outcome -> System.out.println(SoakReport.csv(outcome)));

    assertThat(report.outcomes())
        .hasSize(FAULTS)
        .allSatisfy(
            outcome -> {
              assertThat(outcome.verdict().problems()).isEmpty();
              assertThat(outcome.verdict().lost()).isZero();
              assertThat(outcome.verdict().twice()).isZero();
              assertThat(outcome.verdict().chainBreaks()).isZero();
            });
  }
}
