package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.config.ProducerConfig;
import org.p3ostream.rolloutproducer.config.ProducerConfigs;
import org.p3ostream.rolloutproducer.config.VariantConfig;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/** With the real model, sampler and tokenizer. */
class GroupGeneratorTest {

  /** So many that some come to no end within the model's positions. */
  private static final int ROWS = 128;

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
    generator = generator(GenerationLimit.ofSeconds(0));
  }

  private static GroupGenerator generator(GenerationLimit limit) {
    return generator(limit, ProducerConfig.defaults());
  }

  private static GroupGenerator generator(ProducerConfig config) {
    return generator(GenerationLimit.ofSeconds(0), config);
  }

  private static GroupGenerator generator(GenerationLimit limit, ProducerConfig producer) {
    ModelConfig config = NanoModel.config();
    return new GroupGenerator(
        new GroupAssembler(
            "model-hash", "tokenizer-hash", "producer-b", producer.behaviorLogprob()),
        config.maxPositions(),
        Tokenizer.load(directory.resolve("tokenizer.json")),
        new PolicySampler(
            config,
            Device.cpu(),
            producer.mixture().size() + 1,
            producer.inFlightUpdates(),
            producer.behaviorLogprob()),
        Mixture.of(producer),
        producer.inFlightUpdates(),
        limit,
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  /** As many tokens as the model takes, which is four calls of the sampler. */
  private static PromptTask longTask() {
    return PromptTasks.builder(0)
        .setSamplesPerGroup(ROWS)
        .setSampling(PromptTasks.sampling().setMaxResponseTokens(55).build())
        .build();
  }

  /** Advances by a second whenever it is looked at. */
  private static GenerationLimit limit(int seconds, AtomicLong looks) {
    return new GenerationLimit(
        Duration.ofSeconds(seconds), () -> TimeUnit.SECONDS.toNanos(looks.getAndIncrement()));
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
    RolloutGroup group = generator.generate(PromptTasks.task(0), List.of(versionOne));

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
    List<Response> first = responses(generator.generate(PromptTasks.task(0), List.of(versionZero)));
    generator.generate(PromptTasks.task(1), List.of(versionOne));

    assertThat(responses(generator.generate(PromptTasks.task(0), List.of(versionZero))))
        .isEqualTo(first);
  }

  @Test
  void generateFollowsTheSeedOfTheTask() {
    List<Response> first = responses(generator.generate(PromptTasks.task(0), List.of(versionZero)));

    assertThat(
            responses(
                generator.generate(
                    PromptTasks.builder(0).setSeed(4711).build(), List.of(versionZero))))
        .isNotEqualTo(first);
  }

  /** Tokens and log-probs are of the rounded weights, not of the version's. */
  @Test
  void generateSamplesByRoundedWeightsAndSaysSo() {
    ParameterLayout layout = ParameterLayout.of(NanoModel.config());
    PolicyWeights roundedBefore =
        new PolicyWeights(2, WeightPrecision.INT4.round(layout, versionOne.weights()));
    try (GroupGenerator int4 = generator(ProducerConfigs.rounding(WeightPrecision.INT4))) {
      List<Response> rounded = responses(int4.generate(longTask(), List.of(versionOne)));

      assertThat(rounded)
          .allMatch(response -> response.getSampling().getWeightPrecision().equals("int4"));
      assertThat(logprobs(rounded))
          .isEqualTo(logprobs(responses(generator.generate(longTask(), List.of(roundedBefore)))))
          .isNotEqualTo(logprobs(responses(generator.generate(longTask(), List.of(versionOne)))));
    }
  }

  @Test
  void generateRecordsTheModelsOwnLogprobsWhenAskedTo() {
    PromptTask hot =
        PromptTasks.builder(0)
            .setSamplesPerGroup(ROWS)
            .setSampling(PromptTasks.sampling().setTemperature(1.5).setMaxResponseTokens(9).build())
            .build();
    try (GroupGenerator recordingRaw = generator(ProducerConfigs.raw())) {
      List<Response> raw = responses(recordingRaw.generate(hot, List.of(versionOne)));
      List<Response> drawn = responses(generator.generate(hot, List.of(versionOne)));

      assertThat(raw)
          .extracting(Response::getTokens)
          .isEqualTo(drawn.stream().map(Response::getTokens).toList());
      assertThat(raw)
          .allMatch(r -> r.getSampling().getLogprobKind() == LogprobKind.RAW_MODEL)
          .allMatch(r -> r.getSampling().getTemperature() == 1.5);
      assertThat(logprobs(raw)).isNotEqualTo(logprobs(drawn));
    }
  }

  /** Each response as a batch of its variant alone would have it, and told apart in the record. */
  @Test
  void generateSamplesEveryVariantByItsOwnWeightsAndSaysWhich() {
    VariantConfig asked = new VariantConfig(3, 0, 1, null, null);
    VariantConfig older = new VariantConfig(2, 1, 1, null, WeightPrecision.INT4);
    VariantConfig hotter = new VariantConfig(2, 0, 1, 1.5, null);
    PromptTask task = PromptTasks.builder(0).setSamplesPerGroup(7).build();
    try (GroupGenerator mixed = generator(ProducerConfigs.mixed(asked, older, hotter));
        GroupGenerator int4 = generator(ProducerConfigs.rounding(WeightPrecision.INT4))) {
      List<Response> responses =
          responses(mixed.generate(task, List.of(versionOne, versionZero, versionOne)));

      assertThat(responses)
          .extracting(Response::getPolicyVersion)
          .containsExactly(1L, 1L, 1L, 0L, 0L, 1L, 1L);
      List<Response> alone = new ArrayList<>();
      alone.addAll(responses(generator.generate(alone(responses.get(0), 3), List.of(versionOne))));
      alone.addAll(responses(int4.generate(alone(responses.get(3), 2), List.of(versionZero))));
      alone.addAll(responses(generator.generate(alone(responses.get(5), 2), List.of(versionOne))));
      assertThat(responses).isEqualTo(alone);
      assertThat(responses)
          .extracting(response -> response.getSampling().getTemperature())
          .containsExactly(1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 1.5);
      assertThat(responses(mixed.generate(task, List.of(versionOne, versionZero, versionOne))))
          .as("the same seed")
          .isEqualTo(responses);
    }
  }

  /** A task for one variant, from what its response says of itself. */
  private static PromptTask alone(Response response, int count) {
    Sampling sampling = response.getSampling();
    return PromptTasks.builder(0)
        .setSamplesPerGroup(count)
        .setSeed(sampling.getSeed())
        .setSampling(PromptTasks.sampling().setTemperature(sampling.getTemperature()).build())
        .build();
  }

  @Test
  void generateSaysWhyWhenTheGroupIsNotThatOfTheMixture() {
    try (GroupGenerator mixed =
        generator(ProducerConfigs.mixed(new VariantConfig(3, 0, 1, null, null)))) {
      assertThat(mixed.generate(PromptTasks.task(0), List.of(versionOne)).getFailure())
          .isEqualTo("samplesPerGroup: 4 is not the number of responses in producer.mixture, 3");
    }
  }

  /** The clock is looked at after every token: newer weights arrive at the third. */
  @Test
  void generateGoesOnWithWeightsThatArriveBetweenTwoTokens() {
    List<Response> whole = responses(generator.generate(longTask(), List.of(versionZero)));
    try (GroupGenerator updating = arriving(WeightPrecision.FLOAT32)) {
      List<Response> responses = responses(updating.generate(longTask(), List.of(versionZero)));

      for (int row = 0; row < ROWS; row++) {
        Response response = responses.get(row);
        boolean goesOn = response.getTokens().size() > 3;
        assertThat(response.getVersionSegments())
            .isEqualTo(
                goesOn
                    ? List.of(new VersionSegment(0, 0L), new VersionSegment(3, 1L))
                    : List.of(new VersionSegment(0, 0L)));
        assertThat(response.getPolicyVersion()).isZero();
        int before = Math.min(3, response.getTokens().size());
        assertThat(response.getBehaviorLogprobs().subList(0, before))
            .as("the same bits before the weights came")
            .isEqualTo(whole.get(row).getBehaviorLogprobs().subList(0, before));
      }
      assertThat(responses).anyMatch(response -> response.getVersionSegments().size() == 1);
      assertThat(logprobs(responses)).isNotEqualTo(logprobs(whole));
    }
  }

  @Test
  void generateRoundsTheWeightsThatArrive() {
    try (GroupGenerator updating = arriving(WeightPrecision.INT4)) {
      List<Response> responses = responses(updating.generate(longTask(), List.of(versionZero)));
      assertThat(responses)
          .allMatch(response -> response.getSampling().getWeightPrecision().equals("int4"))
          .anyMatch(response -> response.getVersionSegments().size() == 2);
      assertThat(gap(responses, WeightPrecision.INT4)).isLessThan(1e-5);
      assertThat(gap(responses, WeightPrecision.FLOAT32)).isGreaterThan(1e-3);
    }
  }

  /** Whatever arrives: in lockstep the version that samples is the one that the prompt names. */
  @Test
  void generateKeepsTheVersionThatATaskNames() {
    try (GroupGenerator updating = arriving(WeightPrecision.FLOAT32)) {
      PromptTask exact =
          PromptTasks.builder(0)
              .setSamplesPerGroup(ROWS)
              .setSampling(PromptTasks.sampling().setMaxResponseTokens(55).build())
              .setExactPolicyVersion(0L)
              .build();
      assertThat(responses(updating.generate(exact, List.of(versionZero))))
          .isEqualTo(responses(generator.generate(longTask(), List.of(versionZero))));
    }
  }

  @Test
  void generateIgnoresWeightsThatArriveUnlessItIsToldOtherwise() {
    generator.arrived(versionOne);
    assertThat(responses(generator.generate(longTask(), List.of(versionZero))))
        .allMatch(response -> response.getVersionSegments().size() == 1)
        .allMatch(response -> response.getPolicyVersion() == 0);
  }

  /** What arrived during a group before may be older than what the next one begins with. */
  @Test
  void generateNeverGoesBackToWeightsThatArrivedEarlier() {
    GenerationLimit limit = new GenerationLimit(Duration.ofHours(1), () -> 0);
    try (GroupGenerator updating =
        generator(limit, ProducerConfigs.updating(WeightPrecision.FLOAT32))) {
      updating.arrived(versionZero);
      assertThat(responses(updating.generate(longTask(), List.of(versionOne))))
          .allMatch(
              response -> response.getVersionSegments().equals(List.of(new VersionSegment(0, 1L))));
    }
  }

  /** Version 1 arrives after the third token. */
  private static GroupGenerator arriving(WeightPrecision precision) {
    AtomicLong looks = new AtomicLong();
    AtomicReference<GroupGenerator> self = new AtomicReference<>();
    GenerationLimit clock =
        new GenerationLimit(
            Duration.ofHours(1),
            () -> {
              if (looks.incrementAndGet() == 4) { // at the start, and after three tokens
                self.get().arrived(versionOne);
              }
              return 0;
            });
    self.set(generator(clock, ProducerConfigs.updating(precision)));
    return self.get();
  }

  /**
   * Largest difference between recorded log-probs and those of a pass of the weights of each
   * token's version, rounded so, over everything before it, nats.
   */
  private static double gap(List<Response> responses, WeightPrecision precision) {
    double gap = 0;
    try (CausalLm model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32)) {
      for (PolicyWeights weights : List.of(versionZero, versionOne)) {
        NDArray parameters = // [P]
            model.parameters(precision.round(model.layout(), weights.weights()));
        for (Response response : responses.subList(0, 16)) {
          float[] logprobs = logprobs(model, parameters, response); // [T]
          for (int t = 0; t < logprobs.length; t++) {
            if (version(response, t) == weights.version()) {
              gap = Math.max(gap, Math.abs(logprobs[t] - response.getBehaviorLogprobs().get(t)));
            }
          }
        }
      }
    }
    return gap;
  }

  private static float[] logprobs(CausalLm model, NDArray parameters, Response response) {
    long[] tokens = // [T]
        response.getTokens().stream().mapToLong(Integer::longValue).toArray();
    try (Tokenizer tokenizer = Tokenizer.load(directory.resolve("tokenizer.json"));
        NDManager call = model.manager().newSubManager()) {
      int[] prompt = tokenizer.encode(PromptTasks.task(0).getPrompt());
      long[] ids =
          LongStream.concat(Arrays.stream(prompt).asLongStream(), Arrays.stream(tokens)).toArray();
      return model
          .tokenLogprobs(
              parameters,
              call.create(ids, new Shape(1, ids.length)),
              call.create(LongStream.range(prompt.length - 1, ids.length - 1).toArray()),
              call.create(tokens),
              1)
          .toFloatArray();
    }
  }

  private static long version(Response response, int token) {
    long version = -1;
    for (VersionSegment segment : response.getVersionSegments()) {
      version = segment.getFromToken() <= token ? segment.getPolicyVersion() : version;
    }
    return version;
  }

  /**
   * The second variant begins when the time is over, and has a call of sixteen tokens all the same.
   */
  @Test
  void generateGivesEveryVariantATokenAtTheTimeout() {
    VariantConfig half = new VariantConfig(ROWS / 2, 0, 1, null, null);
    try (GroupGenerator mixed =
        generator(limit(1, new AtomicLong()), ProducerConfigs.mixed(half, half))) {
      assertThat(responses(mixed.generate(longTask(), List.of(versionZero, versionZero))))
          .hasSize(ROWS)
          .allMatch(response -> response.getTokens().size() <= 16)
          .anyMatch(response -> response.getFinishReason() == FinishReason.ABORTED)
          .anyMatch(response -> response.getFinishReason() == FinishReason.STOP);
    }
  }

  private static List<List<Float>> logprobs(List<Response> responses) {
    return responses.stream().map(Response::getBehaviorLogprobs).toList();
  }

  @Test
  void generateScoresTheTextWithoutItsEndToken() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0).setReward("regex").setReferenceAnswer("[-0-9=+*]*").build(),
            List.of(versionZero));

    assertThat(responses(group)).allMatch(response -> response.getReward() == 1);
  }

  @Test
  void generateEndsAResponseAtAStopStringAndScoresTheTextBeforeIt() {
    PromptTask stopping =
        PromptTasks.builder(0)
            .setReward("regex")
            .setReferenceAnswer("[-02-9=+*]*")
            .setSamplesPerGroup(16)
            .setSampling(
                PromptTasks.sampling()
                    .setMaxResponseTokens(30)
                    .setStopStrings(List.of("1"))
                    .build())
            .build();

    RolloutGroup group = generator.generate(stopping, List.of(versionZero));

    assertThat(responses(group))
        .allMatch(response -> response.getReward() == 1)
        .allMatch(response -> response.getSampling().getStopStrings().equals(List.of("1")))
        .anyMatch(response -> last(response) == 1)
        .allSatisfy(
            response -> {
              assertThat(response.getTokens().subList(0, response.getTokens().size() - 1))
                  .doesNotContain(1);
              boolean ended = last(response) == 1 || last(response) == 11;
              assertThat(response.getFinishReason())
                  .isEqualTo(ended ? FinishReason.STOP : FinishReason.LENGTH);
            });
  }

  private static int last(Response response) {
    return response.getTokens().get(response.getTokens().size() - 1);
  }

  @Test
  void generateSamplesWithMinP() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0)
                .setSampling(PromptTasks.sampling().setMinP(0.999).build())
                .build(),
            List.of(versionZero));

    assertThat(responses(group)).extracting(Response::getTokens).containsOnly(tokens(group, 0));
    assertThat(group.getResponses().get(0).getBehaviorLogprobs()).containsOnly(0f);
  }

  private static List<Integer> tokens(RolloutGroup group, int row) {
    return group.getResponses().get(row).getTokens();
  }

  /** The clock is looked at when sampling starts and after each call of sixteen tokens. */
  @Test
  void generateAbortsWhatIsUnfinishedAtTheTimeoutAndKeepsTheRest() {
    RolloutGroup whole = generator.generate(longTask(), List.of(versionZero));
    try (GroupGenerator limited = generator(limit(2, new AtomicLong()))) {
      RolloutGroup cut = limited.generate(longTask(), List.of(versionZero));

      assertThat(responses(cut))
          .extracting(Response::getFinishReason)
          .contains(FinishReason.STOP, FinishReason.ABORTED);
      for (int row = 0; row < ROWS; row++) {
        Response response = cut.getResponses().get(row);
        if (tokens(whole, row).size() <= 32) {
          assertThat(response).isEqualTo(whole.getResponses().get(row));
        } else {
          assertThat(response.getFinishReason()).isEqualTo(FinishReason.ABORTED);
          assertThat(response.getTokens()).isEqualTo(tokens(whole, row).subList(0, 32));
          assertThat(response.getLossMask()).hasSize(32).containsOnly(false);
          assertThat(response.getReward()).isZero();
          assertThat(response.getRewardComponents()).isEmpty();
        }
      }
    }
  }

  @Test
  void generateIsTheSameUnderATimeoutThatIsNotReachedAsUnderNone() {
    RolloutGroup whole = generator.generate(longTask(), List.of(versionZero));
    try (GroupGenerator patient = generator(limit(1000, new AtomicLong()));
        GroupGenerator unlimited = generator(limit(0, new AtomicLong()))) {
      assertThat(responses(patient.generate(longTask(), List.of(versionZero))))
          .isEqualTo(whole.getResponses());
      assertThat(responses(unlimited.generate(longTask(), List.of(versionZero))))
          .isEqualTo(whole.getResponses());
    }
  }

  /** Abandoned while the clock is looked at after the first of four calls. */
  @Test
  void generateEndsAfterTheCallItIsInWhenItIsAbandoned() {
    AtomicLong undisturbed = new AtomicLong();
    try (GroupGenerator patient = generator(limit(1000, undisturbed))) {
      patient.generate(longTask(), List.of(versionZero));
    }
    assertThat(undisturbed).as("start, three calls, end").hasValue(5);

    AtomicLong looks = new AtomicLong();
    AtomicReference<GroupGenerator> self = new AtomicReference<>();
    GenerationLimit abandoning =
        new GenerationLimit(
            Duration.ofHours(1),
            () -> {
              if (looks.incrementAndGet() == 2) {
                self.get().abandon();
              }
              return 0;
            });
    try (GroupGenerator abandoned = generator(abandoning)) {
      self.set(abandoned);
      assertThatThrownBy(() -> abandoned.generate(longTask(), List.of(versionZero)))
          .isInstanceOf(CancellationException.class);
    }
    assertThat(looks).as("start, first call").hasValue(2);
  }

  @Test
  void generateSaysWhyWhenThePromptHasACharacterTheTokenizerDoesNotKnow() {
    RolloutGroup group =
        generator.generate(PromptTasks.builder(0).setPrompt("12x=").build(), List.of(versionZero));

    assertThat(group.getFailure()).contains("'x'");
    assertThat(group.getResponses()).isEmpty();
  }

  @Test
  void generateSaysWhyWhenThePromptIsTooLong() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0).setPrompt("1".repeat(5000)).build(), List.of(versionZero));

    assertThat(group.getFailure()).contains("5000 tokens").contains("positions");
  }

  /** 9 prompt tokens and 55 response tokens are the model's 64 positions. */
  @Test
  void generateFillsTheModelsPositionsAndNoMore() {
    assertThat(responses(generator.generate(longTask(), List.of(versionZero))))
        .allMatch(r -> r.getTokens().size() <= 55)
        .anyMatch(r -> r.getTokens().size() == 55 && r.getFinishReason() == FinishReason.LENGTH);

    RolloutGroup tooLong =
        generator.generate(
            PromptTasks.builder(0)
                .setSampling(PromptTasks.sampling().setMaxResponseTokens(56).build())
                .build(),
            List.of(versionZero));

    assertThat(tooLong.getFailure())
        .isEqualTo("prompt: its 9 tokens and 56 response tokens exceed the model's 64 positions");
  }

  @Test
  void generateSaysWhyWhenTheReferenceAnswerDoesNotSuitTheReward() {
    RolloutGroup group =
        generator.generate(
            PromptTasks.builder(0).setReward("regex").setReferenceAnswer("(").build(),
            List.of(versionZero));

    assertThat(group.getFailure()).contains("reward regex");
  }

  @Test
  void generateSaysWhyWhenTheWeightsDoNotFitTheModel() {
    RolloutGroup group =
        generator.generate(PromptTasks.task(0), List.of(new PolicyWeights(9, new float[3])));

    assertThat(group.getFailure()).contains("3 weights");
    assertThat(responses(generator.generate(PromptTasks.task(0), List.of(versionZero)))).hasSize(4);
  }
}
