package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ObjectiveGoldenTest {

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (GoldenCase golden : GoldenCase.all()) {
      for (Objective objective : List.of(new P3o(), new Grpo(0.2, 0.2))) {
        if (golden.covers(objective)) {
          cases.add(Arguments.of(golden, objective));
        }
      }
    }
    return cases.stream();
  }

  @Test
  void resourceHoldsEveryCase() {
    assertThat(cases()).hasSize(12 + 9); // P3O, GRPO
  }

  @ParameterizedTest
  @MethodSource("cases")
  void evaluateGivesTheLossAndGradientOfEveryToken(GoldenCase golden, Objective objective) {
    TokenLosses losses = objective.evaluate(golden.step(), golden.context());
    assertClose(losses.tokenLoss(), golden.expectedPerToken(objective, "token_loss"));
    assertClose(losses.gradient(), golden.expectedPerToken(objective, "grad"));
    assertClose(losses.loss(), golden.expected(objective, "loss"));
    assertThat(golden.context().validTokens())
        .isEqualTo((long) golden.expected(objective, "valid_tokens"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void evaluateOfMicroBatchesAddsUpToTheStep(GoldenCase golden, Objective objective) {
    double loss = 0;
    for (TokenBatch batch : golden.microBatches()) {
      loss += objective.evaluate(batch, golden.context()).loss();
    }
    assertClose(loss, golden.expected(objective, "loss"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void limitedTokensAreThoseAboveTheCapOrClipped(GoldenCase golden, Objective objective) {
    TokenLosses losses = objective.evaluate(golden.step(), golden.context());
    double fraction = (double) losses.limitedTokens() / golden.context().validTokens();
    String figure = objective instanceof P3o ? "cap_fraction" : "clip_fraction";
    assertClose(fraction, golden.expected(objective, figure));
  }

  static Stream<GoldenCase> all() {
    return GoldenCase.all().stream();
  }

  @ParameterizedTest
  @MethodSource("all")
  void ratioStatisticsAgree(GoldenCase golden) {
    P3o p3o = new P3o();
    double ess = golden.expected(p3o, "ess");
    assertThat(golden.ratios().normalizedEss()).isCloseTo(ess, within(1e-12 * Math.min(1, ess)));
    assertClose(golden.ratios().meanRatio(), golden.expected(p3o, "ratio_mean"));
    double maxRatio = 0;
    double klSum = 0;
    TokenBatch tokens = golden.step();
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        maxRatio = Math.max(maxRatio, Math.exp(tokens.logRatio(t)));
        klSum += KlProxy.value(tokens.logRatio(t));
      }
    }
    assertClose(maxRatio, golden.expected(p3o, "ratio_max"));
    double klMean = klSum / golden.context().validTokens();
    assertClose(klMean, golden.expected(p3o, "behavior_kl_proxy_mean"));
  }

  @Test
  void populationStdGivesTheAdvantagesOfEveryGroup() {
    assertThat(GoldenCase.groupAdvantages()).hasSize(4);
    GoldenCase.groupAdvantages()
        .forEach(
            group ->
                assertClose(
                    GroupAdvantage.POPULATION_STD.of(GoldenCase.doubles(group.get("rewards"))),
                    GoldenCase.doubles(group.get("population_std"))));
  }

  private static void assertClose(double[] found, double[] expected) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).as("entry %d", i).isCloseTo(expected[i], tolerance(expected[i]));
    }
  }

  private static void assertClose(double found, double expected) {
    assertThat(found).isCloseTo(expected, tolerance(expected));
  }

  private static Offset<Double> tolerance(double expected) {
    return within(1e-12 * Math.max(1, Math.abs(expected)));
  }
}
