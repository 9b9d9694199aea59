package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.schemas.ratio.RatioStatistics;

class ObjectiveGoldenTest {

  static Stream<Arguments> cases() {
    return GoldenCase.all().stream()
        .flatMap(golden -> golden.objectives().stream().map(o -> Arguments.of(golden, o)));
  }

  static Stream<Arguments> p3oCases() {
    return cases().filter(arguments -> arguments.get()[1] instanceof P3o);
  }

  @Test
  void resourceHoldsEveryCase() {
    // P3O in two scopes and two KL modes; GRPO, DAPO, CISPO and GSPO
    assertThat(cases()).hasSize(4 * 12 + 4 * 9);
    assertThat(p3oCases()).hasSize(4 * 12);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void evaluateGivesTheLossAndGradientOfEveryToken(GoldenCase golden, Objective objective) {
    List<TokenLosses> losses = evaluate(golden, objective);
    assertClose(
        losses.stream().flatMapToDouble(l -> DoubleStream.of(l.tokenLoss())).toArray(),
        golden.expectedEach(objective, "token_loss"));
    assertClose(
        losses.stream().flatMapToDouble(l -> DoubleStream.of(l.gradient())).toArray(),
        golden.expectedEach(objective, "grad"));
    assertClose(
        losses.stream().mapToDouble(TokenLosses::loss).sum(), golden.expected(objective, "loss"));
    assertThat(golden.contexts(objective).get(0).validTokens())
        .isEqualTo((long) golden.expected(objective, "valid_tokens"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void limitedTokensAreThoseAboveTheCapOrClipped(GoldenCase golden, Objective objective) {
    for (String figure : List.of("cap_fraction", "clip_fraction")) {
      if (golden.has(objective, figure)) {
        long limited =
            evaluate(golden, objective).stream().mapToLong(TokenLosses::limitedTokens).sum();
        assertClose(
            (double) limited / golden.contexts(objective).get(0).validTokens(),
            golden.expected(objective, figure));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("p3oCases")
  void ratioStatisticsAgree(GoldenCase golden, P3o p3o) {
    double[] ess = golden.expectedEach(p3o, "ess");
    List<StepContext> contexts = golden.contexts(p3o);
    assertThat(contexts).hasSameSizeAs(ess);
    for (int i = 0; i < ess.length; i++) {
      if (Double.isNaN(ess[i])) { // no token
        assertThat(contexts.get(i).normalizedEss()).isZero();
      } else {
        assertThat(contexts.get(i).normalizedEss())
            .isCloseTo(ess[i], within(1e-12 * Math.min(1, ess[i])));
      }
    }
    RatioStatistics step =
        golden.microBatches().stream()
            .map(GoldenCase::ratios)
            .reduce(RatioStatistics.EMPTY, RatioStatistics::merge);
    assertClose(step.meanRatio(), golden.expected(p3o, "ratio_mean"));
    assertClose(
        validLogRatios(golden).map(Math::exp).max().orElseThrow(),
        golden.expected(p3o, "ratio_max"));
    assertClose(
        validLogRatios(golden).map(KlProxy::value).sum() / step.tokenCount(),
        golden.expected(p3o, "behavior_kl_proxy_mean"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void meanLogRatioAgrees(GoldenCase golden, Objective objective) {
    if (golden.has(objective, "approx_kl_k1")) {
      assertClose(
          validLogRatios(golden).map(l -> -l).average().orElseThrow(),
          golden.expected(objective, "approx_kl_k1"));
    }
  }

  @Test
  void groupAdvantagesAgree() {
    assertThat(GoldenCase.groupAdvantages()).hasSize(4);
    GoldenCase.groupAdvantages()
        .forEach(
            group -> {
              double[] rewards = GoldenCase.doubles(group.get("rewards"));
              assertClose(
                  GroupAdvantage.POPULATION_STD.of(rewards),
                  GoldenCase.doubles(group.get("population_std")));
              assertClose(
                  GroupAdvantage.SAMPLE_STD.of(rewards),
                  GoldenCase.doubles(group.get("sample_std_eps1e-8")));
              assertClose(
                  GroupAdvantage.MEAN_ONLY.of(rewards), GoldenCase.doubles(group.get("mean_only")));
            });
  }

  private static List<TokenLosses> evaluate(GoldenCase golden, Objective objective) {
    List<TokenLosses> losses = new ArrayList<>();
    List<TokenBatch> batches = golden.microBatches();
    for (int i = 0; i < batches.size(); i++) {
      losses.add(objective.evaluate(batches.get(i), golden.contexts(objective).get(i)));
    }
    return losses;
  }

  private static DoubleStream validLogRatios(GoldenCase golden) {
    return golden.microBatches().stream()
        .flatMapToDouble(batch -> DoubleStream.of(batch.logRatios()))
        .filter(l -> !Double.isNaN(l)); // masked tokens hold NaN
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
