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
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
    assertThat(sampler.sample(parameters, PROMPT, 2, toTheEnd, 0)).hasSize(2);
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
