package org.p3ostream.policy.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.TinyModels;

/** Weights that are exchanged while a batch is sampled. */
class SamplerExchangeTest {

  private static final ModelConfig CONFIG = TinyModels.GROUPED_TIED;
  private static final int[] PROMPT = {3, 1, 4, 1, 5};
  private static final SamplingParameters LONG = new SamplingParameters(1.5, 0, 1, 0, 20);
  private static final int ROWS = 16;

  private static CausalLm model;
  private static NDArray first; // [P]
  private static NDArray second;
  private static NDArray third;

  @BeforeAll
  static void loadModel() {
    model = TinyModels.float64(CONFIG);
    first = model.parameters(TinyModels.weights(CONFIG, 21));
    second = model.parameters(TinyModels.weights(CONFIG, 22));
    third = model.parameters(TinyModels.weights(CONFIG, 23));
  }

  @AfterAll
  static void closeModel() {
    model.close();
  }

  /** One after the other, one for each call; the last one for the rest. */
  private static Supplier<NDArray> inTurn(NDArray... weights) {
    Iterator<NDArray> next = Arrays.asList(weights).iterator();
    NDArray last = weights[weights.length - 1];
    return () -> next.hasNext() ? next.next() : last;
  }

  private static List<SampledResponse> sample(int stepsPerCall, Supplier<NDArray> weights) {
    try (Sampler sampler = new Sampler(model, stepsPerCall, RecordedLogprob.SAMPLING)) {
      return sampler.sample(weights, PROMPT, ROWS, LONG, 5, StopStrings.none(), () -> false);
    }
  }

  /**
   * Each token by its own weights, over the prompt and everything before it: as if from scratch.
   */
  @Test
  void everyLogprobIsThatOfAPassOfItsOwnWeightsOverAllThatCameBefore() {
    NDArray[] byToken = {first, first, first, second, second, third, second};
    List<SampledResponse> responses = sample(1, inTurn(byToken));
    Set<Integer> exchanges = new HashSet<>();
    for (SampledResponse response : responses) {
      int length = response.tokens().length;
      double[][] logprobs = {
        logprobs(first, response), logprobs(second, response), logprobs(third, response)
      };
      for (int t = 0; t < length; t++) {
        NDArray weights = byToken[Math.min(t, byToken.length - 1)];
        double expected = logprobs[List.of(first, second, third).indexOf(weights)][t];
        assertThat((double) response.logprobs()[t])
            .as("token %d", t)
            .isCloseTo(expected, within(1e-6));
      }
      assertThat(response.exchanges())
          .isEqualTo(IntStream.of(3, 5, 6).filter(from -> from < length).toArray());
      exchanges.add(response.exchanges().length);
    }
    assertThat(exchanges).as("rows that ended early saw fewer").contains(0, 3);
  }

  /** The cache that is filled again holds what was in it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void anExchangeForEqualWeightsChangesNothingButTheRecord(int stepsPerCall) {
    List<SampledResponse> plain = sample(stepsPerCall, () -> first);
    try (NDArray copy = model.parameters(TinyModels.weights(CONFIG, 21))) {
      List<SampledResponse> exchanged = sample(stepsPerCall, inTurn(first, copy));
      for (int row = 0; row < ROWS; row++) {
        SampledResponse expected = plain.get(row);
        assertThat(exchanged.get(row).tokens()).isEqualTo(expected.tokens());
        assertThat(exchanged.get(row).finish()).isEqualTo(expected.finish());
        for (int t = 0; t < expected.tokens().length; t++) {
          assertThat((double) exchanged.get(row).logprobs()[t])
              .isCloseTo(expected.logprobs()[t], within(1e-6));
        }
        boolean goesOn = expected.tokens().length > stepsPerCall;
        assertThat(exchanged.get(row).exchanges())
            .isEqualTo(goesOn ? new int[] {stepsPerCall} : new int[0]);
      }
    }
  }

  @Test
  void withoutAnExchangeTheBitsAreThoseOfTheSampler() {
    List<SampledResponse> plain = sample(16, () -> first);
    List<SampledResponse> asked = sample(1, inTurn(first, first, first));
    assertThat(asked).allMatch(response -> response.exchanges().length == 0);
    assertThat(asked.stream().flatMap(SamplerExchangeTest::bits))
        .containsExactlyElementsOf(plain.stream().flatMap(SamplerExchangeTest::bits).toList());
  }

  /** Two caches of each layer, the logits, and which rows have finished; whatever came before. */
  @Test
  void asManyArraysAreHeldAfterEveryCall() {
    List<Integer> held = new ArrayList<>();
    try (Sampler sampler = new Sampler(model, 1, RecordedLogprob.SAMPLING);
        NDManager group = model.manager().newSubManager()) {
      sampler.sample(
          group,
          inTurn(first, first, first, second, third),
          PROMPT,
          ROWS,
          LONG,
          5,
          StopStrings.none(),
          () -> !held.add(group.getManagedArrays().size()));
    }
    assertThat(held).hasSizeGreaterThan(5).containsOnly(2 * CONFIG.layers() + 2);
  }

  private static Stream<Integer> bits(SampledResponse response) {
    return IntStream.range(0, response.tokens().length)
        .boxed()
        .flatMap(
            t -> Stream.of(response.tokens()[t], Float.floatToIntBits(response.logprobs()[t])));
  }

  /** Of every token under given weights, from a pass over the whole sequence. */
  private static double[] logprobs(NDArray weights, SampledResponse response) {
    int length = response.tokens().length;
    long[] ids =
        IntStream.concat(Arrays.stream(PROMPT), Arrays.stream(response.tokens()))
            .asLongStream()
            .toArray();
    long[] positions = LongStream.range(PROMPT.length - 1, PROMPT.length - 1 + length).toArray();
    try (NDManager call = model.manager().newSubManager()) {
      return model
          .tokenLogprobs(
              weights,
              call.create(ids, new Shape(1, ids.length)),
              call.create(positions),
              call.create(Arrays.stream(response.tokens()).asLongStream().toArray()),
              LONG.temperature())
          .toDoubleArray();
    }
  }
}
