package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.failpoint.Failpoints;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.tests.support.ChildRole;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Periodic sync: prompts ask for weights of up to three versions ago. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class SyncIntervalKillIT {

  private static final int INTERVAL = 3;
  private static final int STEPS = 18;

  /** Exit status of a process that a failpoint killed. */
  private static final int KILLED = 137;

  @Test
  void runThatIsKilledInEveryPhaseHasTheWeightsOfOneThatIsNot(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun twin = run(stack, directory.resolve("twin"));
    try (RunningRole producer = twin.producer("a")) {
      twin.learner().join();
    }
    TestRun run = run(stack, directory.resolve("run"));

    // GENESIS is the first commit; then a version each
    assertThat(phaseOfKill(run, 5)).isEqualTo(1);
    assertThat(phaseOfKill(run, 4)).isEqualTo(2);
    assertThat(phaseOfKill(run, 4)).isEqualTo(0);
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }

    assertThat(digests(run)).hasSize(STEPS).isEqualTo(digests(twin));
    assertThat(staleness(run)).isEqualTo(staleness(twin)).contains((long) INTERVAL);
  }

  private static TestRun run(LocalStack stack, Path directory) throws Exception {
    return new TestRun(
        stack,
        directory,
        "learner.steps=" + STEPS,
        "learner.checkpointEvery=5",
        "dispatch.syncInterval=" + INTERVAL);
  }

  /**
   * Kills learner and producer right after the learner's n-th commit.
   *
   * @return version that was reached, modulo the interval
   */
  private static long phaseOfKill(TestRun run, int commits) throws Exception {
    Path failpoint = run.directory().resolve("failpoint");
    Files.writeString(failpoint, "after-commit@" + commits + ":kill");
    try (ChildProcess producer =
            ChildRole.start(run, "producer", List.of("producer", "--set", "producer.id=a"));
        ChildProcess learner =
            ChildRole.start(
                run, "learner", List.of("learner"), "-D" + Failpoints.PROPERTY + "=" + failpoint)) {
      TestRun.until("the learner was killed", () -> !learner.isAlive());
      producer.kill();
      assertThat(learner.exitCode())
          .as(String.join("\n", learner.lastLogLines(5)))
          .isEqualTo(KILLED);
    }
    return digests(run).size() % INTERVAL;
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static List<Long> staleness(TestRun run) {
    return run.steps().stream().map(step -> step.getMetrics().getStalenessMax()).toList();
  }
}
