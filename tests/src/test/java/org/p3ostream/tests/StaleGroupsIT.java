package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Groups that are too stale when their window is next, through a real broker. */
@ExtendWith(LocalStackExtension.class)
class StaleGroupsIT {

  private static final int GROUPS = 4;
  private static final int STEPS = 6;

  /** In lockstep, so that the weights of an interrupted run tell whether it decided the same. */
  @Test
  void learnerThatIsStartedAgainJudgesTheSameGroupsStale(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun twin = run(stack, directory.resolve("twin"));
    try (RunningRole producer = twin.producer("a")) {
      twin.learner("learner.steps=" + STEPS).join();
    }
    TestRun run = run(stack, directory.resolve("run"));
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=1").join();
      awaitGroups(run, 4 * GROUPS); // windows 0 to 3
      producer.stop();
    }
    try (RunningRole learner = run.learner("learner.steps=" + STEPS)) { // nobody answers it
      TestRun.until("window 1 to be judged", () -> interims(run) > 0);
      learner.stop();
    }
    try (RunningRole producer = run.producer("b")) {
      run.learner("learner.steps=3").join();
      run.learner("learner.steps=" + STEPS).join();
    }

    assertThat(run.steps()).hasSize(STEPS);
    assertThat(run.steps())
        .anySatisfy(step -> assertThat(step.getMetrics().getGradNorm()).isGreaterThan(1e-3));
    assertThat(digests(run)).isEqualTo(digests(twin));
    for (TestRun each : List.of(twin, run)) {
      assertThat(stale(each)).containsExactlyElementsOf(groups(1, STEPS));
      for (StepEvent step : each.steps()) {
        int attempt = step.getStep() == 0 ? 0 : 1;
        assertThat(step.getMissingGroups()).isEmpty();
        assertThat(step.getWindow())
            .hasSize(GROUPS)
            .extracting(WindowEntry::getAttempt)
            .containsOnly(attempt);
        assertThat(step.getMetrics().getStalenessMax()).isZero();
      }
      assertThat(RunAudit.of(each.config()).problems()).isEmpty();
    }
  }

  /** Held back, every window is four versions old once it is trained. */
  @Test
  void noTokenIsOlderThanTheBoundWithoutLockstep(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "dispatch.lockstep=false",
            "dispatch.maxStaleness=4",
            "learner.holdBackWindows=4",
            "window.maxStaleness=2",
            "learner.steps=8");
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }
    assertThat(stale(run)).containsExactlyElementsOf(groups(3, 8));
    assertThat(run.steps())
        .extracting(step -> step.getMetrics().getStalenessMax())
        .containsExactly(0L, 1L, 2L, 0L, 0L, 0L, 0L, 0L);
    assertThat(RunAudit.of(run.config()).problems()).isEmpty();
  }

  private static TestRun run(LocalStack stack, Path directory) throws Exception {
    return TestRun.rewarded(
        stack,
        directory,
        "dispatch.maxStaleness=2",
        "learner.holdBackWindows=1",
        "window.maxStaleness=0");
  }

  private static void awaitGroups(TestRun run, int count) {
    TestRun.until(
        count + " groups",
        () -> run.values(run.topics().rollouts(), RolloutGroup.class).size() >= count);
  }

  private static long interims(TestRun run) {
    return run.ledger().stream().filter(event -> event.getKind() == StepKind.INTERIM).count();
  }

  /** Groups with a dead letter of that reason, each as often as it has one. */
  private static List<Long> stale(TestRun run) {
    List<DeadLetter> letters = run.values(run.topics().deadLetters(), DeadLetter.class);
    assertThat(letters)
        .allSatisfy(
            letter -> {
              assertThat(letter.getReason()).isEqualTo(RejectionReason.STALE);
              assertThat(letter.getAttempt()).isZero();
            });
    return letters.stream().map(DeadLetter::getGroupId).sorted().toList();
  }

  /** Groups of the windows from one to before another. */
  private static List<Long> groups(long fromWindow, long toWindow) {
    return LongStream.range(fromWindow * GROUPS, toWindow * GROUPS).boxed().toList();
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }
}
