package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.experiment.outcome.Gate;
import org.p3ostream.deploy.experiment.outcome.Results;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;

class ExperimentProgressTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PlannedRun run = Plans.study().runs().get(4); // lag2_p3o_1
  private final RunResult good = Results.good("p3o", 1, 0.8);
  private long seconds;

  private ExperimentProgress progress(boolean terminal, int runsOver) {
    return new ExperimentProgress(
        new PrintStream(bytes, true, StandardCharsets.UTF_8),
        terminal,
        12,
        runsOver,
        30,
        () -> TimeUnit.SECONDS.toNanos(seconds));
  }

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void everyRunThatIsOverIsToldWithWhatTheGateSays() {
    ExperimentProgress progress = progress(false, 0);
    progress.training(run, 15, Results.step(14, 2, 0.4));
    seconds = 20;
    progress.over(run, good, new Gate(Plans.study()).judge(good));
    assertThat(printed())
        .isEqualTo(
            """
            [1/12] lag 2 × P3O × seed 1, 20.0 s
              execution passed: ended by itself; steps 30 of 30; audit clean; finite all; staleness 2 from step 2, expected 2
              quality passed: learnt held-out 0.300 -> 0.800, at least 0.400
              0:03:40 left
            """);
  }

  /** Two of twelve runs were over before, so that ten are left, and half of one is done. */
  @Test
  void timeLeftIsByTheStepsThatWereDoneSinceTheStart() {
    ExperimentProgress progress = progress(true, 2);
    progress.preparing(run);
    assertThat(printed()).contains("2/12 runs, ? left");
    seconds = 10;
    progress.training(run, 15, Results.step(14, 2, 0.4));
    assertThat(printed())
        .endsWith(
            "[#####...................] 2/12 runs, 0:03:10 left  lag 2 × P3O × seed 1, step 15/30,"
                + " reward 0.40");
    progress.end();
    assertThat(printed()).endsWith("\r");
  }
}
