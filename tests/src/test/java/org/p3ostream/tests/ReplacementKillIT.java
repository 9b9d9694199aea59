package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.failpoint.Failpoints;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.ChildRole;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** A learner that is killed when it has rejected a group of a window that is not next. */
@ExtendWith(LocalStackExtension.class)
class ReplacementKillIT {

  private static final int GROUPS = 4;
  private static final int AHEAD = 5;
  private static final int STEPS = AHEAD + 2;

  /** Of the window that the first step dispatches: those before it lie there complete by then. */
  private static final long REJECTED = (AHEAD + 1) * GROUPS;

  /** Exit status of a process that a failpoint killed. */
  private static final int KILLED = 137;

  @Test
  void groupThatWasRejectedBeforeAKillIsReplacedAfterIt(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun twin = sampled(stack, directory.resolve("twin"));
    twin.learner("learner.steps=1").join();
    publishBad(twin);
    finish(twin);

    TestRun run = sampled(stack, directory.resolve("run"));
    Path failpoint = run.directory().resolve("failpoint");
    Files.writeString(failpoint, "before-train@2:stop");
    try (ChildProcess learner =
        ChildRole.start(
            run,
            "learner",
            List.of("learner", "--set", "learner.steps=" + STEPS),
            "-D" + Failpoints.PROPERTY + "=" + failpoint)) {
      TestRun.until("window 1 is being trained", () -> !Files.exists(failpoint));
      TestRun.until("it stands still", () -> ChildRole.isStopped(learner));
      publishBad(run);
      Files.writeString(failpoint, "after-commit@5:kill"); // windows 1 to 5, if nothing else
      learner.resume();
      TestRun.until("the learner was killed", () -> !learner.isAlive());
      assertThat(learner.exitCode())
          .as(String.join("\n", learner.lastLogLines(5)))
          .isEqualTo(KILLED);
    }
    assertThat(run.ledger())
        .filteredOn(event -> !event.getSkipped().isEmpty())
        .hasSize(1)
        .allSatisfy(
            event ->
                assertThat(event.getDispatched())
                    .extracting(DispatchedGroup::getGroupId, DispatchedGroup::getAttempt)
                    .containsExactly(tuple(REJECTED, 1)));
    finish(run);

    assertThat(digests(run)).hasSize(STEPS).isEqualTo(digests(twin));
    for (TestRun each : List.of(twin, run)) {
      assertThat(each.steps().get(STEPS - 1).getWindow())
          .extracting(WindowEntry::getAttempt)
          .containsExactly(1, 0, 0, 0);
      assertThat(RunAudit.of(each.config()).problems()).isEmpty();
    }
  }

  /** A run whose first windows are there, and whose producer is not. */
  private static TestRun sampled(LocalStack stack, Path directory) throws Throwable {
    TestRun run = TestRun.rewarded(stack, directory, "dispatch.maxStaleness=" + AHEAD);
    run.learner("learner.steps=0").join();
    try (RunningRole producer = run.producer("a")) {
      TestRun.until("the first windows", () -> groups(run).size() == REJECTED);
    }
    return run;
  }

  /** Answers a prompt before the producer does, with what another model sampled. */
  private static void publishBad(TestRun run) {
    RolloutGroup bad =
        RolloutGroup.newBuilder(groups(run).get(0))
            .setGroupId(REJECTED)
            .setWindowIndex(REJECTED / GROUPS)
            .setModelHash("other")
            .build();
    TopicSpec rollouts = run.topics().rollouts();
    try (RecordCodec codec = run.codec()) {
      run.publish(
          rollouts,
          rollouts.partitionOf(REJECTED),
          RecordKeys.of(REJECTED),
          codec.encode(rollouts.name(), bad));
    }
  }

  private static void finish(TestRun run) throws Throwable {
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + STEPS).join();
    }
  }

  private static List<RolloutGroup> groups(TestRun run) {
    return run.values(run.topics().rollouts(), RolloutGroup.class);
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }
}
