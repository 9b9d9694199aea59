package org.p3ostream.policy.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.TinyModels;
import org.p3ostream.policy.sampling.SampledResponse.Finish;

class SamplerTest {

  private static final ModelConfig CONFIG = TinyModels.GROUPED_TIED;
  private static final int[] PROMPT = {3, 1, 4, 1, 5};
  private static final SamplingParameters PLAIN = new SamplingParameters(1, 0, 1, 0, 8);

  private static CausalLm model;
  private static Sampler sampler;
  private static NDArray parameters;

  @BeforeAll
  static void loadModel() {
    model = TinyModels.float64(CONFIG);
    sampler = new Sampler(model);
    parameters = model.parameters(TinyModels.weights(CONFIG, 21));
  }

  @AfterAll
  static void closeModel() {
    sampler.close();
    model.close();
  }

  static Stream<SamplingParameters> samplings() {
    return Stream.of(
        PLAIN,
        new SamplingParameters(0.6, 0, 1, 0, 8),
        new SamplingParameters(1.5, 0, 1, 0, 8),
        new SamplingParameters(1, 4, 1, 0, 8),
        new SamplingParameters(1, 11, 1, 0, 8),
        new SamplingParameters(1, 0, 0.8, 0, 8),
        new SamplingParameters(1.3, 6, 0.7, 0, 8),
        new SamplingParameters(2, 1, 1, 0, 8),
        new SamplingParameters(2, 0, 1e-9, 0, 8),
        new SamplingParameters(1, 0, 1, 0.05, 8),
        new SamplingParameters(1.4, 0, 1, 0.3, 8),
        new SamplingParameters(1, 0, 1, 0.999, 8),
        new SamplingParameters(1.3, 6, 0.7, 0.02, 8),
        new SamplingParameters(1.2, 3, 1, 0.1, 8),
        new SamplingParameters(1.5, 0, 0.85, 0.1, 8));
  }

  @ParameterizedTest
  @MethodSource("samplings")
  void sampleReportsTheLogprobOfTheDistributionItDrewFrom(SamplingParameters sampling) {
    for (SampledResponse response : sampler.sample(parameters, PROMPT, 6, sampling, 5)) {
      double[] logits = logits(response.tokens());
      for (int t = 0; t < response.tokens().length; t++) {
        int token = response.tokens()[t];
        FilteredDistribution expected = FilteredDistribution.of(position(logits, t), sampling);
        assertThat(expected.support()).contains(token);
        assertThat((double) response.logprobs()[t])
            .as("token %d", t)
            .isCloseTo(Math.log(expected.probability(token)), within(1e-6));
      }
    }
  }

  @Test
  void sampleAgreesWithTheModelsTokenLogprobsWhenNothingIsFiltered() {
    for (double temperature : new double[] {1, 0.7, 1.4}) {
      SamplingParameters sampling = new SamplingParameters(temperature, 0, 1, 0, 8);
      for (SampledResponse response : sampler.sample(parameters, PROMPT, 4, sampling, 77)) {
        double[] expected = tokenLogprobs(response.tokens(), temperature);
        for (int t = 0; t < expected.length; t++) {
          assertThat((double) response.logprobs()[t]).isCloseTo(expected[t], within(1e-6));
        }
      }
    }
  }

  /** Temperature and filters decide what is drawn, and nothing of the log-prob. */
  @ParameterizedTest
  @MethodSource("samplings")
  void sampleReportsTheModelsOwnLogprobsWhenAskedTo(SamplingParameters sampling) {
    List<SampledResponse> drawn = sampler.sample(parameters, PROMPT, 6, sampling, 5);
    try (Sampler recordingRaw = new Sampler(model, RecordedLogprob.RAW)) {
      List<SampledResponse> raw = recordingRaw.sample(parameters, PROMPT, 6, sampling, 5);
      for (int row = 0; row < drawn.size(); row++) {
        assertThat(raw.get(row).tokens()).isEqualTo(drawn.get(row).tokens());
        double[] expected = tokenLogprobs(raw.get(row).tokens(), 1);
        for (int t = 0; t < expected.length; t++) {
          assertThat((double) raw.get(row).logprobs()[t]).isCloseTo(expected[t], within(1e-6));
        }
      }
    }
  }

  /** 4,000 draws of the first token; the 1e-6 quantile of the chi-square distribution. */
  @ParameterizedTest
  @MethodSource("samplings")
  void sampleDrawsEveryKeptTokenAsOftenAsItsProbabilitySays(SamplingParameters sampling) {
    int draws = 4000;
    SamplingParameters one =
        new SamplingParameters(
            sampling.temperature(), sampling.topK(), sampling.topP(), sampling.minP(), 1);
    long seed = 99;
    int[] counts = new int[CONFIG.vocabSize()];
    for (SampledResponse response : sampler.sample(parameters, PROMPT, draws, one, seed)) {
      counts[response.tokens()[0]]++;
    }
    FilteredDistribution expected =
        FilteredDistribution.of(position(logits(new int[] {0}), 0), sampling);
    double chiSquare = 0;
    Set<Integer> drawn = new HashSet<>();
    for (int v = 0; v < counts.length; v++) {
      if (counts[v] > 0) {
        drawn.add(v);
      }
      double mean = draws * expected.probability(v);
      if (mean > 0) {
        chiSquare += (counts[v] - mean) * (counts[v] - mean) / mean;
      }
    }
    assertThat(expected.support()).containsAll(drawn);
    assertThat(chiSquare)
        .as("seed %d, counts %s", seed, Arrays.toString(counts))
        .isLessThan(upperQuantile(expected.support().size() - 1));
  }

  @Test
  void sampleRepeatsBitForBitWithTheSameSeed() {
    List<SampledResponse> first = sampler.sample(parameters, PROMPT, 5, PLAIN, 1234);
    sampler.sample(parameters, new int[] {7}, 3, PLAIN, 1);
    List<SampledResponse> again = sampler.sample(parameters, PROMPT, 5, PLAIN, 1234);
    List<SampledResponse> other = sampler.sample(parameters, PROMPT, 5, PLAIN, 1235);
    for (int row = 0; row < 5; row++) {
      assertThat(again.get(row).tokens()).isEqualTo(first.get(row).tokens());
      assertThat(again.get(row).logprobs()).isEqualTo(first.get(row).logprobs());
    }
    assertThat(tokens(other)).isNotEqualTo(tokens(first));
  }

  @Test
  void sampleGivesOneIndependentResponsePerRow() {
    for (int count : new int[] {1, 3, 8}) {
      List<SampledResponse> responses = sampler.sample(parameters, PROMPT, count, PLAIN, 6);
      assertThat(responses).hasSize(count);
      assertThat(new HashSet<>(tokens(responses)).size()).isGreaterThan(count / 2);
    }
  }

  @Test
  void sampleEndsEachResponseWithEndOfSequenceOrAtTheLimit() {
    Set<Finish> seen = new HashSet<>();
    for (SampledResponse response : sampler.sample(parameters, PROMPT, 64, PLAIN, 3)) {
      int length = response.tokens().length;
      int firstEos =
          IntStream.range(0, length)
              .filter(t -> response.tokens()[t] == CONFIG.eosTokenId())
              .findFirst()
              .orElse(-1);
      assertThat(response.logprobs()).hasSize(length);
      if (response.finish() == Finish.STOP) {
        assertThat(firstEos).isEqualTo(length - 1);
      } else {
        assertThat(firstEos).isEqualTo(-1);
        assertThat(length).isEqualTo(PLAIN.maxResponseTokens());
      }
      seen.add(response.finish());
    }
    assertThat(seen).containsExactlyInAnyOrder(Finish.STOP, Finish.LENGTH);
  }

  @Test
  void sampleStopsAtOnceWhenEveryRowHasSampledEndOfSequence() {
    SamplingParameters greedy = new SamplingParameters(1, 1, 1, 0, 8);
    int mostProbable = sampler.sample(parameters, PROMPT, 1, greedy, 0).get(0).tokens()[0];
    try (CausalLm stopping = TinyModels.float64(withEos(mostProbable));
        Sampler stoppingSampler = new Sampler(stopping)) {
      NDArray same = stopping.parameters(TinyModels.weights(CONFIG, 21));
      for (SampledResponse response : stoppingSampler.sample(same, PROMPT, 3, greedy, 0)) {
        assertThat(response.tokens()).containsExactly(mostProbable);
        assertThat(response.finish()).isEqualTo(Finish.STOP);
      }
    }
  }

  /** The third token of a row, made the end of sequence, under limits below, at and above it. */
  @Test
  void sampleStopsWhenTheLastTokenAllowedIsEndOfSequence() {
    List<SampledResponse> free = sampler.sample(parameters, PROMPT, 16, hot(4), 5);
    int row = rowWithANewThirdToken(free);
    int[] tokens = free.get(row).tokens();
    try (CausalLm stopping = TinyModels.float64(withEos(tokens[2]));
        Sampler stoppingSampler = new Sampler(stopping)) {
      NDArray same = stopping.parameters(TinyModels.weights(CONFIG, 21));
      for (int limit = 1; limit <= 4; limit++) {
        SampledResponse response = stoppingSampler.sample(same, PROMPT, 16, hot(limit), 5).get(row);
        requirePrefix(response, free.get(row), Math.min(limit, 3));
        assertThat(response.finish())
            .as("limit %d", limit)
            .isEqualTo(limit < 3 ? Finish.LENGTH : Finish.STOP);
      }
    }
  }

  @Test
  void sampleStopsWhenTheLastTokenAllowedCompletesAStopString() {
    List<SampledResponse> free = sampler.sample(parameters, PROMPT, 16, hot(4), 5);
    int row = rowWithANewThirdToken(free);
    List<String> third = List.of(letters(free.get(row).tokens()).substring(1, 3));
    for (int limit = 1; limit <= 4; limit++) {
      SampledResponse response =
          sampleUntil(sampler, hot(limit), 16, third, SamplerTest::letters).get(row);
      requirePrefix(response, free.get(row), Math.min(limit, 3));
      assertThat(response.finish())
          .as("limit %d", limit)
          .isEqualTo(limit < 3 ? Finish.LENGTH : Finish.STOP);
    }
  }

  /** Stop strings of one and several tokens, within and across tokens, and one that never comes. */
  @Test
  void sampleEndsWithTheFirstTokenAfterWhichTheTextContainsAStopString() {
    SamplingParameters sampling = new SamplingParameters(1.5, 0, 1, 0, 24);
    List<List<String>> stops =
        List.of(List.of("c"), List.of("ab", "de", "ih"), List.of("aa", "b"), List.of("zz"));
    for (Function<int[], String> decoder :
        List.<Function<int[], String>>of(SamplerTest::letters, SamplerTest::pairs)) {
      List<SampledResponse> free = sampler.sample(parameters, PROMPT, 16, sampling, 5);
      int shortened = 0;
      for (List<String> texts : stops) {
        List<SampledResponse> stopped = sampleUntil(sampler, sampling, 16, texts, decoder);
        for (int row = 0; row < 16; row++) {
          int[] tokens = free.get(row).tokens();
          int end = firstContaining(tokens, texts, decoder);
          int length = end < 0 ? tokens.length : end;
          shortened += length < tokens.length ? 1 : 0;
          requirePrefix(stopped.get(row), free.get(row), length);
          assertThat(stopped.get(row).finish())
              .isEqualTo(end < 0 ? free.get(row).finish() : Finish.STOP);
        }
      }
      assertThat(shortened).as("responses ended by a stop string").isGreaterThan(16);
    }
  }

  /** Calls of every size into every kind of model give the bits of a single call. */
  @ParameterizedTest
  @MethodSource("chunkedModels")
  void sampleGivesTheSameBitsWhateverTheTokensPerCall(ModelConfig config, DataType dtype) {
    int[] prompt = {3, 1, 4, 1, 5};
    try (CausalLm other = TinyModels.model(config, dtype);
        Sampler whole = new Sampler(other, 1000, RecordedLogprob.SAMPLING)) {
      NDArray weights = other.parameters(TinyModels.weights(config, 8));
      for (SamplingParameters sampling :
          List.of(
              new SamplingParameters(1.3, 0, 1, 0, 27),
              new SamplingParameters(1.2, 5, 0.9, 0.01, 27))) {
        List<SampledResponse> expected = whole.sample(weights, prompt, 6, sampling, 17);
        for (int stepsPerCall : new int[] {1, 2, 3, 7, 16, 26}) {
          try (Sampler chunked = new Sampler(other, stepsPerCall, RecordedLogprob.SAMPLING)) {
            List<SampledResponse> found = chunked.sample(weights, prompt, 6, sampling, 17);
            for (int row = 0; row < 6; row++) {
              requirePrefix(found.get(row), expected.get(row), expected.get(row).tokens().length);
              assertThat(found.get(row).finish()).isEqualTo(expected.get(row).finish());
            }
          }
        }
        assertThat(expected).anyMatch(response -> response.tokens().length > 16);
      }
    }
  }

  static Stream<Arguments> chunkedModels() {
    return Stream.of(
        Arguments.of(TinyModels.GROUPED_TIED, DataType.FLOAT64),
        Arguments.of(TinyModels.GROUPED_TIED, DataType.FLOAT32),
        Arguments.of(TinyModels.FULL_UNTIED, DataType.FLOAT32),
        Arguments.of(TinyModels.SINGLE_KEY_HEAD, DataType.FLOAT32),
        Arguments.of(NanoModel.config(), DataType.FLOAT32));
  }

  @Test
  void sampleAbortsWhatIsUnfinishedWhenItIsCutAndKeepsTheRest() {
    SamplingParameters sampling = new SamplingParameters(1.5, 0, 1, 0, 24);
    List<SampledResponse> free = sampler.sample(parameters, PROMPT, 16, sampling, 5);
    try (Sampler chunked = new Sampler(model, 4, RecordedLogprob.SAMPLING)) {
      AtomicInteger asked = new AtomicInteger();
      List<SampledResponse> cut =
          chunked.sample(
              () -> parameters,
              PROMPT,
              16,
              sampling,
              5,
              StopStrings.none(),
              () -> asked.incrementAndGet() == 2);
      Set<Finish> seen = new HashSet<>();
      for (int row = 0; row < 16; row++) {
        int whole = free.get(row).tokens().length;
        requirePrefix(cut.get(row), free.get(row), Math.min(8, whole));
        assertThat(cut.get(row).finish())
            .isEqualTo(whole <= 8 ? free.get(row).finish() : Finish.ABORTED);
        seen.add(cut.get(row).finish());
      }
      assertThat(seen).containsExactlyInAnyOrder(Finish.STOP, Finish.ABORTED);
      assertThat(asked).hasValue(2);
    }
  }

  @Test
  void sampleIsNotCutWhenEveryResponseHasEnded() {
    BooleanSupplier cut = () -> true;
    for (SampledResponse response :
        sampler.sample(() -> parameters, PROMPT, 8, PLAIN, 3, StopStrings.none(), cut)) {
      assertThat(response.finish()).isNotEqualTo(Finish.ABORTED);
    }
    StopStrings everything = new StopStrings(List.of("x"), tokens -> "x");
    SamplingParameters longer = new SamplingParameters(1, 0, 1, 0, 24);
    for (SampledResponse response :
        sampler.sample(() -> parameters, PROMPT, 8, longer, 3, everything, cut)) {
      assertThat(response.tokens()).hasSize(1);
      assertThat(response.finish()).isEqualTo(Finish.STOP);
    }
  }

  /** The rest of a batch that has ended by stop strings would be sampled in vain. */
  @Test
  void sampleEndsWhenEveryRowHasAStopString() {
    AtomicInteger asked = new AtomicInteger();
    try (Sampler chunked = new Sampler(model, 1, RecordedLogprob.SAMPLING)) {
      List<SampledResponse> responses =
          chunked.sample(
              () -> parameters,
              PROMPT,
              4,
              greedy(20),
              3,
              new StopStrings(List.of("xx"), tokens -> "x".repeat(tokens.length)),
              () -> asked.incrementAndGet() > 100);
      assertThat(responses).allMatch(response -> response.tokens().length == 2);
      assertThat(asked).hasValue(1);
    }
  }

  @Test
  void sampleTakesTheSmallerTokenFirstAmongEquals() {
    NDArray zeros = model.parameters(new float[model.layout().size()]); // every logit is 0
    SamplingParameters two = new SamplingParameters(1, 2, 1, 0, 4);
    for (SampledResponse response : sampler.sample(zeros, PROMPT, 8, two, 2)) {
      assertThat(response.tokens()).containsOnly(0, 1);
      assertThat(response.logprobs()).containsOnly((float) Math.log(0.5));
    }
    zeros.close();
  }

  @Test
  void sampleKeepsEveryTokenThatIsAsProbableAsTheLargest() {
    NDArray zeros = model.parameters(new float[model.layout().size()]); // every logit is 0
    SamplingParameters strict = new SamplingParameters(1, 0, 1, 0.999999, 8);
    Set<Integer> seen = new HashSet<>();
    for (SampledResponse response : sampler.sample(zeros, PROMPT, 64, strict, 2)) {
      Arrays.stream(response.tokens()).forEach(seen::add);
      assertThat(response.logprobs()).containsOnly((float) -Math.log(CONFIG.vocabSize()));
    }
    assertThat(seen).hasSize(CONFIG.vocabSize());
    zeros.close();
  }

  @Test
  void float32SamplingReportsTheLogprobsThatTrainingSees() {
    try (CausalLm single = TinyModels.model(CONFIG, DataType.FLOAT32);
        Sampler singleSampler = new Sampler(single)) {
      NDArray weights = single.parameters(TinyModels.weights(CONFIG, 21));
      for (SampledResponse response : singleSampler.sample(weights, PROMPT, 8, PLAIN, 4)) {
        double[] expected = tokenLogprobs(response.tokens(), 1);
        for (int t = 0; t < expected.length; t++) {
          assertThat((double) response.logprobs()[t]).isCloseTo(expected[t], within(5e-5));
        }
      }
    }
  }

  @Test
  void sampleRefusesWhatDoesNotFitTheModel() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sampler.sample(parameters, new int[0], 1, PLAIN, 0))
        .withMessageContaining("no token");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sampler.sample(parameters, new int[] {1, 11}, 1, PLAIN, 0))
        .withMessageContaining("prompt token 11")
        .withMessageContaining("vocabulary of 11");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sampler.sample(parameters, new int[25], 1, PLAIN, 0))
        .withMessageContaining("25 prompt and 8 response tokens")
        .withMessageContaining("32 positions");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sampler.sample(parameters, PROMPT, 0, PLAIN, 0))
        .withMessageContaining("count: 0");
    try (NDArray short1 = model.manager().zeros(new Shape(1), DataType.FLOAT64)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> sampler.sample(short1, PROMPT, 1, PLAIN, 0))
          .withMessageContaining("parameters must be [" + model.layout().size() + "]");
    }
  }

  @Test
  void responsesMayFillTheModelsLastPosition() {
    SamplingParameters toTheEnd = new SamplingParameters(1, 0, 1, 0, 27);
    List<SampledResponse> responses = sampler.sample(parameters, PROMPT, 64, toTheEnd, 0);
    assertThat(responses)
        .filteredOn(response -> response.finish() == Finish.LENGTH)
        .isNotEmpty()
        .allMatch(response -> response.tokens().length == 27);
    SamplingParameters beyond = new SamplingParameters(1, 0, 1, 0, 28);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sampler.sample(parameters, PROMPT, 2, beyond, 0))
        .withMessageContaining("5 prompt and 28 response tokens");
  }

  private static SamplingParameters hot(int limit) {
    return new SamplingParameters(1.5, 0, 1, 0, limit);
  }

  /** A row of four tokens of which the third is not end-of-sequence nor one of the first two. */
  private static int rowWithANewThirdToken(List<SampledResponse> free) {
    return IntStream.range(0, free.size())
        .filter(row -> free.get(row).finish() == Finish.LENGTH)
        .filter(
            row -> {
              int[] tokens = free.get(row).tokens();
              return tokens[2] != tokens[0] && tokens[2] != tokens[1];
            })
        .findFirst()
        .orElseThrow();
  }

  private static SamplingParameters greedy(int limit) {
    return new SamplingParameters(1, 1, 1, 0, limit);
  }

  private static List<SampledResponse> sampleUntil(
      Sampler sampler,
      SamplingParameters sampling,
      int count,
      List<String> texts,
      Function<int[], String> decoder) {
    return sampler.sample(
        () -> parameters, PROMPT, count, sampling, 5, new StopStrings(texts, decoder), () -> false);
  }

  /** Smallest number of tokens whose text contains one of the texts; −1 if there is none. */
  private static int firstContaining(
      int[] tokens, List<String> texts, Function<int[], String> decoder) {
    for (int length = 1; length <= tokens.length; length++) {
      String text = decoder.apply(Arrays.copyOf(tokens, length));
      if (texts.stream().anyMatch(text::contains)) {
        return length;
      }
    }
    return -1;
  }

  private static void requirePrefix(SampledResponse found, SampledResponse whole, int length) {
    assertThat(found.tokens()).isEqualTo(Arrays.copyOf(whole.tokens(), length));
    assertThat(found.logprobs()).isEqualTo(Arrays.copyOf(whole.logprobs(), length));
  }

  /** One letter per token. */
  private static String letters(int[] tokens) {
    StringBuilder text = new StringBuilder();
    for (int token : tokens) {
      text.append((char) ('a' + token));
    }
    return text.toString();
  }

  /** Two letters per token: token 0 is "ab", token 1 is "bc". */
  private static String pairs(int[] tokens) {
    StringBuilder text = new StringBuilder();
    for (int token : tokens) {
      text.append((char) ('a' + token)).append((char) ('b' + token));
    }
    return text.toString();
  }

  private static ModelConfig withEos(int eosTokenId) {
    return new ModelConfig(
        CONFIG.vocabSize(),
        CONFIG.hiddenSize(),
        CONFIG.intermediateSize(),
        CONFIG.layers(),
        CONFIG.attentionHeads(),
        CONFIG.keyValueHeads(),
        CONFIG.headDim(),
        CONFIG.rmsNormEps(),
        CONFIG.ropeTheta(),
        CONFIG.tiedEmbeddings(),
        CONFIG.maxPositions(),
        eosTokenId,
        CONFIG.padTokenId());
  }

  /** Logits that predict each response token, of the forward pass without a cache, [T, V]. */
  private static double[] logits(int[] response) {
    long[] ids = sequence(response);
    try (NDManager call = model.manager().newSubManager()) {
      NDArray all = model.logits(parameters, call.create(ids, new Shape(1, ids.length)));
      int from = (PROMPT.length - 1) * CONFIG.vocabSize();
      double[] values = all.toDoubleArray();
      return Arrays.copyOfRange(values, from, from + response.length * CONFIG.vocabSize());
    }
  }

  private static double[] position(double[] logits, int t) {
    int v = CONFIG.vocabSize();
    return Arrays.copyOfRange(logits, t * v, (t + 1) * v);
  }

  private static double[] tokenLogprobs(int[] response, double temperature) {
    long[] ids = sequence(response);
    long[] positions =
        LongStream.range(PROMPT.length - 1, PROMPT.length - 1 + response.length).toArray();
    try (NDManager call = model.manager().newSubManager()) {
      return model
          .tokenLogprobs(
              parameters,
              call.create(ids, new Shape(1, ids.length)),
              call.create(positions),
              call.create(Arrays.stream(response).asLongStream().toArray()),
              temperature)
          .toDoubleArray();
    }
  }

  private static long[] sequence(int[] response) {
    return IntStream.concat(Arrays.stream(PROMPT), Arrays.stream(response))
        .asLongStream()
        .toArray();
  }

  private static List<List<Integer>> tokens(List<SampledResponse> responses) {
    return responses.stream()
        .map(response -> Arrays.stream(response.tokens()).boxed().toList())
        .toList();
  }

  /** Upper 1e-6 quantile of chi-square by Wilson and Hilferty's cube root approximation. */
  private static double upperQuantile(int degreesOfFreedom) {
    if (degreesOfFreedom == 0) {
      return 1e-6;
    }
    double normalQuantile = 4.7534;
    double spread = 2.0 / (9 * degreesOfFreedom);
    return degreesOfFreedom * Math.pow(1 - spread + normalQuantile * Math.sqrt(spread), 3);
  }
}
