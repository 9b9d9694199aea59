package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.deploy.demo.Demo;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Every objective through the real loop, and what DAPO does to the groups it trains. */
@ExtendWith(LocalStackExtension.class)
class ObjectivesIT {

  private static final int ATTEMPTS = 3;

  @ParameterizedTest
  @CsvSource({
    "p3o, p3o/step/exact",
    "grpo, grpo/0.2",
    "ppo, ppo/0.2/3.0",
    "dapo, dapo/0.2/0.28",
    "cispo, cispo/0.2/0.28",
    "gspo, gspo/3e-4/4e-4",
    "tis, tis/2.0",
    "decoupled-ppo, decoupled-ppo/0.2/2.0"
  })
  void everyObjectiveTrains(String name, String id, LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = warmStarted(stack, directory, "algorithm.name=" + name, "learner.steps=3");
    try (RunningRole learner = run.learner();
        RunningRole producer = run.producer("a")) {
      learner.join();
    }
    assertThat(run.steps()).hasSize(3);
    assertThat(run.steps()).extracting(StepEvent::getAlgorithm).containsOnly(id);
    assertThat(run.steps()).extracting(StepEvent::getWeightsSha256).doesNotHaveDuplicates();
    assertThat(run.steps())
        .allSatisfy(
            step -> {
              assertThat(step.getMetrics().getLoss()).isFinite();
              assertThat(step.getMetrics().getGradNorm()).isPositive().isFinite();
            });
  }

  @Test
  void dapoSamplesAnotherPromptForAGroupOfEqualRewardsAndIsAFunctionOfItsSeed(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    String[] settings = {
      "algorithm.name=dapo",
      "algorithm.dynamicSamplingAttempts=" + ATTEMPTS,
      "algorithm.overlongBuffer=6",
      "learner.steps=6",
      "learner.checkpointEvery=100"
    };
    TestRun run = warmStarted(stack, directory.resolve("one"), settings);
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
      assertReplacedWhereTheRewardsWereEqual(run);
      assertRewardsAreRecordedAsTheyWereGiven(run);
      deleteCheckpoints(run);
      run.learner("learner.steps=7").join(); // executes all six again, replaced groups and all
    }
    TestRun twin = warmStarted(stack, directory.resolve("two"), settings);
    try (RunningRole first = twin.producer("a");
        RunningRole second = twin.producer("b")) {
      twin.learner("learner.steps=7").join();
    }
    assertThat(twin.steps())
        .extracting(StepEvent::getWeightsSha256)
        .isEqualTo(run.steps().stream().map(StepEvent::getWeightsSha256).toList());
  }

  /** The random model never answers right: every group is of equal rewards. */
  @Test
  void dapoTrainsAGroupAsItIsWhenItsAttemptsAreUsedUp(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "algorithm.name=dapo",
            "algorithm.dynamicSamplingAttempts=" + ATTEMPTS,
            "learner.steps=2");
    try (RunningRole learner = run.learner();
        RunningRole producer = run.producer("a")) {
      learner.join();
    }
    assertThat(run.steps()).hasSize(2);
    assertThat(run.steps())
        .flatExtracting(StepEvent::getWindow)
        .extracting(WindowEntry::getAttempt)
        .containsOnly(ATTEMPTS - 1);
    assertThat(run.steps()).allSatisfy(step -> assertThat(step.getMetrics().getLoss()).isZero());
  }

  private static void assertReplacedWhereTheRewardsWereEqual(TestRun run) {
    Map<String, RolloutGroup> groups =
        run.values(run.topics().rollouts(), RolloutGroup.class).stream()
            .collect(Collectors.toMap(g -> g.getGroupId() + "/" + g.getAttempt(), g -> g));
    Map<String, PromptTask> prompts =
        run.values(run.topics().prompts(), PromptTask.class).stream()
            .collect(
                Collectors.toMap(t -> t.getGroupId() + "/" + t.getAttempt(), Function.identity()));
    List<DeadLetter> letters = run.values(run.topics().deadLetters(), DeadLetter.class);
    assertThat(letters).isNotEmpty();
    for (DeadLetter letter : letters) {
      assertThat(letter.getReason()).isEqualTo(RejectionReason.ZERO_VARIANCE);
      RolloutGroup replaced = groups.get(letter.getGroupId() + "/" + letter.getAttempt());
      assertThat(distinctRewards(replaced)).isEqualTo(1);
      PromptTask first = prompts.get(letter.getGroupId() + "/" + letter.getAttempt());
      PromptTask next = prompts.get(letter.getGroupId() + "/" + (letter.getAttempt() + 1));
      assertThat(next.getPromptId()).isNotEqualTo(first.getPromptId());
      assertThat(next.getExactPolicyVersion()).isEqualTo(first.getExactPolicyVersion());
    }
    for (StepEvent step : run.steps()) {
      for (WindowEntry entry : step.getWindow()) {
        RolloutGroup trained = groups.get(entry.getGroupId() + "/" + entry.getAttempt());
        assertThat(distinctRewards(trained) > 1 || entry.getAttempt() == ATTEMPTS - 1)
            .as("group %d attempt %d", entry.getGroupId(), entry.getAttempt())
            .isTrue();
      }
    }
  }

  private static void assertRewardsAreRecordedAsTheyWereGiven(TestRun run) {
    Map<String, RolloutGroup> groups =
        run.values(run.topics().rollouts(), RolloutGroup.class).stream()
            .collect(Collectors.toMap(g -> g.getGroupId() + "/" + g.getAttempt(), g -> g));
    for (StepEvent step : run.steps()) {
      double mean =
          step.getWindow().stream()
              .map(entry -> groups.get(entry.getGroupId() + "/" + entry.getAttempt()))
              .flatMap(group -> group.getResponses().stream())
              .mapToDouble(Response::getReward)
              .average()
              .orElseThrow();
      assertThat(step.getMetrics().getRewardMean()).isCloseTo(mean, within(1e-12));
    }
  }

  private static long distinctRewards(RolloutGroup group) {
    return group.getResponses().stream().map(Response::getReward).distinct().count();
  }

  /** The demo's model, which answers some prompts right and others not. */
  private static TestRun warmStarted(LocalStack stack, Path directory, String... settings)
      throws IOException {
    Path model = Files.createDirectories(directory.resolve("csum8"));
    for (String file : new String[] {"config.json", "model.safetensors", "tokenizer.json"}) {
      try (InputStream in =
          Objects.requireNonNull(Demo.class.getResourceAsStream("/models/csum8/" + file))) {
        Files.copy(in, model.resolve(file));
      }
    }
    List<String> all =
        new ArrayList<>(List.of("model.directory=" + model, "sampling.maxResponseTokens=12"));
    all.addAll(List.of(settings));
    return new TestRun(stack, directory, all.toArray(String[]::new));
  }

  private static void deleteCheckpoints(TestRun run) throws IOException {
    try (Stream<Path> paths = Files.walk(run.directory().resolve("checkpoints"))) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
