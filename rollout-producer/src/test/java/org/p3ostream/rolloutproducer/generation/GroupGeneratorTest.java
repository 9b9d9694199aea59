package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.Device;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.snapshot.PolicyWeights;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/** With the real model, sampler and tokenizer. */
class GroupGeneratorTest {

  private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);

  @TempDir static Path directory;

  private static PolicyWeights versionZero;
  private static PolicyWeights versionOne;
  private static GroupGenerator generator;

  @BeforeAll
  static void load() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    ModelConfig config = NanoModel.config();
    Path tokenizerJson = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    versionZero = new PolicyWeights(0, ParameterInitializer.initialize(config, 1));
    versionOne = new PolicyWeights(1, ParameterInitializer.initialize(config, 2));
    generator =
        new GroupGenerator(
            new GroupAssembler("model-hash", "tokenizer-hash", "producer-b"),
            config.maxPositions(),
            Tokenizer.load(tokenizerJson),
            new PolicySampler(config, Device.cpu()),
            Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @AfterAll
  static void close() {
    generator.close();
  }

  private static List<Response> responses(RolloutGroup group) {
    assertThat(group.getFailure()).isNull();
    return group.getResponses();
  }

  @Test
  void generateSamplesAndScoresAsManyResponsesAsAskedFor() {
    RolloutGroup group = generator.generate(PromptTasks.task(0), versionOne);

    assertThat(responses(group)).hasSize(4);
    assertThat(group.getPromptTokens()).hasSize(9);
    assertThat(group.getGeneratedAt()).isEqualTo(NOW.toEpochMilli());
    assertThat(group.getGenerationMillis()).isPositive();
    assertThat(group.getResponses())
        .allSatisfy(
            response -> {
              assertThat(response.getPolicyVersion()).isEqualTo(1);
              assertThat(response.getTokens()).hasSizeBetween(1, 6);
              assertThat(response.getBehaviorLogprobs())
                  .hasSameSizeAs(response.getTokens())
                  .allMatch(logprob -> logprob <= 0);
              assertThat(response.getReward()).isZero();
            });
  }

  @Test
  void generateGivesTheSameResponsesWhateverWasSampledBefore() {
    List<Response> first = responses(generator.generate(PromptTasks.task(0), versionZero));
    generator.generate(PromptTasks.task(1), versionOne);

    assertThat(responses(generator.generate(PromptTasks.task(0), versionZero))).isEqualTo(first);
  }

  @Test
  void generateFollowsTheSeedOfTheTask() {
    List<Response> first = responses(generator.generate(PromptTasks.task(0), versionZero));

    assertThat(
            responses(
                generator.generate(PromptTasks.builder(0).setSeed(4711).build(), versionZero)))
        .isNotEqualTo(first);
  }

  @Test
  void generateScoresTheTextWithoutItsEndToken() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0).setReward("regex").setReferenceAnswer("[-0-9=+*]*").build(),
            versionZero);

    assertThat(responses(group)).allMatch(response -> response.getReward() == 1);
  }

  @Test
  void generateSaysWhyWhenThePromptHasACharacterTheTokenizerDoesNotKnow() {
    RolloutGroup group =
        generator.generate(PromptTasks.builder(0).setPrompt("12x=").build(), versionZero);

    assertThat(group.getFailure()).contains("'x'");
    assertThat(group.getResponses()).isEmpty();
  }

  @Test
  void generateSaysWhyWhenThePromptIsTooLong() {
    RolloutGroup group =
        generator.generate(PromptTasks.builder(0).setPrompt("1".repeat(5000)).build(), versionZero);

    assertThat(group.getFailure()).contains("5000 tokens").contains("positions");
  }

  @Test
  void generateSaysWhyWhenTheReferenceAnswerDoesNotSuitTheReward() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0).setReward("regex").setReferenceAnswer("(").build(), versionZero);

    assertThat(group.getFailure()).contains("reward regex");
  }

  @Test
  void generateSaysWhyWhenTheWeightsDoNotFitTheModel() {
    RolloutGroup group =
        generator.generate(PromptTasks.task(0), new PolicyWeights(9, new float[3]));

    assertThat(group.getFailure()).contains("3 weights");
    assertThat(responses(generator.generate(PromptTasks.task(0), versionZero))).hasSize(4);
  }
}
