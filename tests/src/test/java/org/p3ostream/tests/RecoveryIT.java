package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.FencedException;
import org.p3ostream.learner.commit.UnknownOutcomeException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Learners that end, come back, or meet a second one of their kind. */
@ExtendWith(LocalStackExtension.class)
class RecoveryIT {

  @Test
  void restartedLearnerContinuesToTheWeightsOfAnUndisturbedRun(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun twin = TestRun.rewarded(stack, directory.resolve("twin"));
    try (RunningRole producer = twin.producer("a")) {
      twin.learner("learner.steps=9").join();
    }
    TestRun run = TestRun.rewarded(stack, directory.resolve("run"), "learner.checkpointEvery=2");
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=3").join(); // ends with a checkpoint
      assertThat(checkpoints(run)).hasSize(2);
      run.learner("learner.steps=5").join(); // starts from it
      run.deleteCheckpoints();
      run.learner("learner.steps=9").join(); // starts from GENESIS, executing five steps again
    }
    assertThat(digests(run)).isEqualTo(digests(twin));
    assertThat(run.ledger()).extracting(StepEvent::getLearnerEpoch).contains(1L, 2L, 3L);
  }

  @Test
  void learnerThatWasTakenOverEndsWithoutWriting(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("a");
        RunningRole first = run.learner("learner.steps=100000")) {
      run.awaitSteps(2);
      run.learner("learner.steps=8").join();
      // the broker answers few commits in that moment with an error that says nothing
      assertThat(first.failure())
          .isInstanceOfAny(FencedException.class, UnknownOutcomeException.class);
    }
    assertThat(run.steps())
        .extracting(StepEvent::getStep)
        .startsWith(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L)
        .doesNotHaveDuplicates();
  }

  /** Moments that are not those of the run stand for hardware that rounds in another way. */
  @Test
  void weightsThatDifferEndALearnerUnlessItMayTakeThoseOfTheLog(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = TestRun.rewarded(stack, directory, "learner.checkpointEvery=2");
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=5").join();
      String others = "learner.checkpointDirectory=" + withOtherMoments(run, 3);
      assertThat(run.learner(others, "learner.steps=7").failure())
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining("step 4 executed again gives weights");
      String tolerant = "recovery.verify=tolerance";
      assertThat(run.learner(others, tolerant, "recovery.tolerance=1e-9").failure())
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining("recovery.tolerance is 1.0E-9");
      run.learner(others, tolerant, "recovery.tolerance=0.1", "learner.steps=7").join();
    }
    assertThat(run.steps()).hasSize(7);
  }

  private static Path withOtherMoments(TestRun run, long step) throws IOException {
    ParameterLayout layout = ParameterLayout.of(NanoModel.config());
    CheckpointStore own = new CheckpointStore(run.directory().resolve("checkpoints"), layout, 9);
    Checkpoint checkpoint =
        own.usable("test").stream().filter(c -> c.step() == step).findFirst().orElseThrow();
    OptimizerState state = own.load(checkpoint);
    Arrays.fill(state.firstMoment(), 1e-3f);
    Arrays.fill(state.secondMoment(), 1);
    Path others = run.directory().resolve("others");
    new CheckpointStore(others, layout, 9)
        .save("test", step, checkpoint.eventHash(), checkpoint.policyVersion(), state);
    return others;
  }

  @Test
  void learnerOfAnotherRunIsRefused(LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=1");
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }
    assertThat(run.learner("run.id=other").failure())
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("belongs to run 'test', this is run 'other'");
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static List<Path> checkpoints(TestRun run) throws IOException {
    try (Stream<Path> entries = Files.list(run.directory().resolve("checkpoints"))) {
      return entries.toList();
    }
  }
}
