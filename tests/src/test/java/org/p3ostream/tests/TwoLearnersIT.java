package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.ExitCode;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.tests.support.ChildRole;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Two learner processes with one transactional id. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class TwoLearnersIT {

  private static final int STEPS = 200;

  @Test
  void oneGoesOnAndTheOtherSaysThatItWasFenced(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=" + STEPS);
    try (RunningRole producer = run.producer("a");
        ChildProcess first =
            ChildRole.start(run, "first", List.of("learner", "--set", "learner.steps=100000"))) {
      run.awaitSteps(5);
      first.pause(); // it is not to do all steps of the second before that has started
      try (ChildProcess second = ChildRole.start(run, "second", List.of("learner"))) {
        TestRun.until(
            "the second to take over",
            () -> run.steps().stream().anyMatch(step -> step.getLearnerEpoch() == 2));
        first.resume();
        TestRun.until("both ended", () -> !first.isAlive() && !second.isAlive());
        assertThat(second.exitCode()).isEqualTo(ExitCode.DONE);
        assertFenced(first);
      }
    }
    requireValidLedger(run);
    List<Long> epochs = run.steps().stream().map(StepEvent::getLearnerEpoch).toList();
    assertThat(epochs).isSorted().contains(1L, 2L);
  }

  @Test
  void ofTwoThatStartTogetherExactlyOneEndsItsRun(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=" + STEPS);
    run.learner("learner.steps=0").join();
    try (RunningRole producer = run.producer("a");
        ChildProcess one = ChildRole.start(run, "one", List.of("learner"));
        ChildProcess other = ChildRole.start(run, "other", List.of("learner"))) {
      TestRun.until("both ended", () -> !one.isAlive() && !other.isAlive());
      boolean firstWon = one.exitCode() == ExitCode.DONE;
      assertThat((firstWon ? one : other).exitCode()).isEqualTo(ExitCode.DONE);
      assertFenced(firstWon ? other : one);
    }
    requireValidLedger(run);
  }

  /**
   * A broker that gets a commit in the very moment in which it fences its sender answers that it
   * did not expect it. The learner cannot know who is there then, and says so.
   */
  private static void assertFenced(ChildProcess learner) {
    List<String> end = learner.lastLogLines(40);
    if (learner.exitCode() == ExitCode.FAILED) {
      assertThat(end)
          .anyMatch(line -> line.contains("Unhandled error in EndTxnResponse"))
          .anyMatch(line -> line.endsWith("a restart reads it from the ledger"));
    } else {
      assertThat(learner.exitCode()).as(String.join("\n", end)).isEqualTo(ExitCode.FENCED);
    }
  }

  /** As the learner itself reads it: every event follows its predecessor. */
  private static void requireValidLedger(TestRun run) throws Exception {
    LedgerState ledger = new LedgerState("test", run.config().dispatch().groupsPerWindow());
    try (RoleClients clients = new RoleClients(run.config())) {
      new LedgerReader(clients.reader(), clients.codec(), run.topics().steps().name())
          .readAll(ledger::apply);
    }
    assertThat(ledger.nextWindow()).isEqualTo(STEPS);
    assertThat(run.steps()).hasSize(STEPS);
  }
}
