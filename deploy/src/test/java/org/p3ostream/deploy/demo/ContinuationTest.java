package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.workdirectory.RunRecord;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.learner.task.SyntheticTask;

class ContinuationTest {

  @TempDir private Path root;

  @Test
  void requireSameRunPassesWhenNothingWasTyped() {
    DemoOptions asked = options(150, 42, "p3o", SyntheticTask.CSUM8, Set.of());
    assertThatCode(() -> require(asked)).doesNotThrowAnyException();
  }

  @Test
  void requireSameRunPassesWhenWhatWasTypedIsTheSameOrFree() {
    DemoOptions asked =
        options(
            200,
            7,
            "grpo",
            SyntheticTask.SORT8,
            Set.of("--steps", "--seed", "--algorithm", "--task"),
            "learner.checkpointEvery=5");
    assertThatCode(() -> require(asked)).doesNotThrowAnyException();
  }

  @Test
  void requireSameRunListsEveryKeyThatDiffersWithBothValues() {
    DemoOptions asked =
        options(
            200,
            8,
            "p3o",
            SyntheticTask.CSUM8,
            Set.of("--seed", "--algorithm", "--task", "--rollout-precision"),
            "optimizer.learningRate=0.5",
            "run.topicPrefix=other.");
    assertThatThrownBy(() -> require(asked))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .anyMatch(line -> line.startsWith("--resume: run.seed: 7 -> 8: cannot change"))
                    .anyMatch(line -> line.contains("algorithm.name: grpo -> p3o"))
                    .anyMatch(line -> line.contains("task: sort8 -> csum8"))
                    .anyMatch(line -> line.contains("optimizer.learningRate: 5.0E-4 -> 0.5"))
                    .anyMatch(line -> line.contains("producer.rolloutPrecision: float32 -> int8"))
                    .anyMatch(line -> line.contains("run.topicPrefix: p3o. -> other.")));
  }

  /** Producers' keys that are not in the run's definition and decide what is trained on. */
  @Test
  void requireSameRunListsWhatWouldSampleOtherwise() {
    DemoOptions asked =
        options(
            200,
            7,
            "grpo",
            SyntheticTask.SORT8,
            Set.of("--steps"),
            "dispatch.lockstep=false",
            "producer.inFlightUpdates=true");
    assertThatThrownBy(() -> require(asked))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .anyMatch(line -> line.contains("producer.inFlightUpdates: false -> true")));
    DemoOptions mixed =
        options(
            200,
            7,
            "grpo",
            SyntheticTask.SORT8,
            Set.of("--steps"),
            "sampling.samplesPerGroup=2",
            "producer.mixture=[{responses: 2}]");
    assertThatThrownBy(() -> require(mixed))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .anyMatch(line -> line.contains("producer.mixture: [] -> [")));
  }

  @Test
  void requireStepsAheadRefusesFewerStepsThanThereAre() {
    DemoOptions asked = options(79, 42, "p3o", SyntheticTask.CSUM8, Set.of("--steps"));
    Continuation.requireStepsAhead(asked, 79);
    assertThatThrownBy(() -> Continuation.requireStepsAhead(asked, 80))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--steps: 79, but the run has 80 steps already");
  }

  @Test
  void overTakesFromTheRunWhatWasNotTyped() {
    DemoOptions asked = options(200, 42, "p3o", SyntheticTask.CSUM8, Set.of("--steps"));
    P3oConfig config = run().configuration(directory(), asked.typed());
    DemoOptions resumed = asked.over(run(), config);
    assertThat(resumed.steps()).isEqualTo(200);
    assertThat(resumed.seed()).isEqualTo(7);
    assertThat(resumed.algorithm()).isEqualTo("grpo");
    assertThat(resumed.task()).isEqualTo(SyntheticTask.SORT8);
    assertThat(resumed.producers()).isEqualTo(2);
    assertThat(config.optimizer().scheduleSteps()).as("that of the first start").isEqualTo(80);
  }

  @Test
  void resumeNeedsADirectory() {
    assertThatThrownBy(
            () -> options(1, 1, "p3o", SyntheticTask.CSUM8, null, true, 1, Set.of(), List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--resume: needs --work-dir");
  }

  private void require(DemoOptions asked) {
    Continuation.requireSameRun(asked, run(), directory());
  }

  private WorkDirectory directory() {
    return new WorkDirectory(root, false);
  }

  /** A run of sort8 by GRPO with seed 7, of 80 steps with two producers. */
  private RunRecord run() {
    DemoOptions began =
        options(80, 7, "grpo", SyntheticTask.SORT8, null, false, 2, Set.of(), List.of());
    return new RunRecord(
        root.toString(), began.task(), began.producers(), DemoRecipe.settings(began, directory()));
  }

  private DemoOptions options(
      long steps,
      long seed,
      String algorithm,
      SyntheticTask task,
      Set<String> given,
      String... overrides) {
    return options(steps, seed, algorithm, task, root, true, 1, given, List.of(overrides));
  }

  private static DemoOptions options(
      long steps,
      long seed,
      String algorithm,
      SyntheticTask task,
      Path directory,
      boolean resume,
      int producers,
      Set<String> given,
      List<String> overrides) {
    String precision = given.contains("--rollout-precision") ? "int8" : "float32";
    return new DemoOptions(
        steps, seed, algorithm, 1.0, precision, producers, 1, 1, 0, task, directory, null, false,
        null, 0, List.of(), overrides, resume, given);
  }
}
