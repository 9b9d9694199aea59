package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.schemas.ratio.RatioStatistics;

class ExactKlTest {

  private static final boolean[] BOTH = {true, true};

  static Stream<ExactKlCase> golden() {
    return ExactKlCase.all().stream();
  }

  @Test
  void resourceHoldsEveryCase() {
    assertThat(golden()).hasSize(6);
    assertThat(golden().filter(golden -> golden.keptTokens() < golden.vocabularyTokens()))
        .hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("golden")
  void valueAgrees(ExactKlCase golden) {
    double[] expected = golden.expectedEach("exact_kl");
    for (int t = 0; t < expected.length; t++) {
      assertThat(golden.exactKl(t).value()).as("token %d", t).isCloseTo(expected[t], within(1e-12));
    }
  }

  /** The whole chain: log-probs of both, ESS, loss, and the gradient of the loss in the logits. */
  @ParameterizedTest
  @MethodSource("golden")
  void p3oWithTheExactKlAgrees(ExactKlCase golden) {
    TokenBatch tokens = golden.tokens();
    RatioStatistics ratios = RatioStatistics.of(tokens.logRatios(), tokens.validMask());
    assertThat(ratios.normalizedEss()).isCloseTo(golden.expected("ess"), within(1e-12));
    StepContext context = new StepContext(ratios.normalizedEss(), ratios.tokenCount());
    P3o p3o = new P3o(EssScope.STEP, KlMode.EXACT);
    TokenLosses losses = p3o.evaluate(tokens, context);
    assertThat(losses.loss()).isCloseTo(golden.expected("loss"), within(1e-12));
    assertThat(losses.tokenLoss())
        .containsExactly(golden.expectedEach("token_loss"), within(1e-12));
    for (int t = 0; t < tokens.length(); t++) {
      double[] expected = golden.expectedLogitGradient(t); // [V]
      double[] klGradient = golden.exactKl(t).logitGradient(); // [V]
      double[] logprobGradient = golden.logprobGradient(t); // [V]
      for (int v = 0; v < expected.length; v++) {
        double gradient =
            losses.gradient()[t] * logprobGradient[v]
                + (1 - context.normalizedEss()) * klGradient[v] / context.validTokens();
        assertThat(gradient).as("token %d, logit %d", t, v).isCloseTo(expected[v], within(1e-12));
      }
    }
  }

  /** p = (3/4, 1/4), q = (1/2, 1/2): KL = 3/4 ln 3/2 − 1/4 ln 2; slopes ± 3/16 ln 3. */
  @Test
  void ofAgreesWithTheFiguresWorkedOutByHand() {
    ExactKl kl = ExactKl.of(new double[] {Math.log(3), 0}, 1, new double[] {7, 7}, 1, BOTH);
    assertThat(kl.value()).isCloseTo(0.75 * Math.log(1.5) - 0.25 * Math.log(2), within(1e-15));
    double slope = 3.0 / 16 * Math.log(3);
    assertThat(kl.logitGradient()).containsExactly(new double[] {slope, -slope}, within(1e-15));
  }

  /** Logits divided by the temperature: p as above from logits twice as far apart. */
  @Test
  void ofDividesEachSideByItsTemperature() {
    double[] logits = {Math.log(3), 0};
    double[] doubled = {2 * Math.log(3), 0};
    double[] flat = {0, 0};
    ExactKl plain = ExactKl.of(logits, 1, flat, 1, BOTH);
    ExactKl policyAtTwo = ExactKl.of(doubled, 2, flat, 1, BOTH);
    assertThat(policyAtTwo.value()).isCloseTo(plain.value(), within(1e-15));
    assertThat(policyAtTwo.logitGradient()[0])
        .isCloseTo(plain.logitGradient()[0] / 2, within(1e-15));
    assertThat(ExactKl.of(logits, 1, doubled, 2, BOTH).value()).isCloseTo(0, within(1e-15));
  }

  @Test
  void ofKnowsOnlyTheTokensKept() {
    double[] policy = {1, Double.NaN, 0.5, Double.POSITIVE_INFINITY};
    double[] behavior = {0.2, 3, 0.1, Double.NaN};
    boolean[] kept = {true, false, true, false};
    ExactKl kl = ExactKl.of(policy, 0.7, behavior, 0.9, kept);
    ExactKl alone = ExactKl.of(new double[] {1, 0.5}, 0.7, new double[] {0.2, 0.1}, 0.9, BOTH);
    assertThat(kl.value()).isEqualTo(alone.value());
    assertThat(kl.logitGradient())
        .containsExactly(alone.logitGradient()[0], 0, alone.logitGradient()[1], 0);
  }

  @Test
  void valueIsZeroWithOneTokenKept() {
    ExactKl kl =
        ExactKl.of(new double[] {3, -2}, 1, new double[] {-8, 5}, 1, new boolean[] {false, true});
    assertThat(kl.value()).isZero();
    assertThat(kl.logitGradient()).containsOnly(0);
  }

  @Test
  void ofStaysExactAtFiveHundredNats() {
    ExactKl kl = ExactKl.of(new double[] {500, 0}, 1, new double[] {-500, 0}, 1, BOTH);
    assertThat(kl.value()).isEqualTo(500);
    assertThat(kl.logitGradient()).containsExactly(new double[] {0, 0}, within(1e-200));
  }

  @Test
  void gradientIsTheSlopeOfTheValue() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int size = 2 + random.nextInt(9);
      double[] policy = random.doubles(size, -3, 3).toArray();
      double[] behavior = random.doubles(size, -3, 3).toArray();
      boolean[] kept = new boolean[size];
      for (int v = 0; v < size; v++) {
        kept[v] = v == 0 || random.nextInt(3) > 0;
      }
      double[] gradient = ExactKl.of(policy, 0.7, behavior, 1.3, kept).logitGradient();
      for (int v = 0; v < size; v++) {
        double step = 1e-6;
        double[] up = policy.clone();
        double[] down = policy.clone();
        up[v] += step;
        down[v] -= step;
        double difference =
            ExactKl.of(up, 0.7, behavior, 1.3, kept).value()
                - ExactKl.of(down, 0.7, behavior, 1.3, kept).value();
        assertThat(gradient[v])
            .as("seed %d, logit %d", seed, v)
            .isCloseTo(difference / (2 * step), within(1e-8));
      }
      assertThat(Arrays.stream(gradient).sum()).as("seed %d", seed).isCloseTo(0, within(1e-14));
    }
  }

  @Test
  void ofNamesWhatIsWrongWithItsArguments() {
    double[] two = {0, 0};
    double[] three = {0, 0, 0};
    assertThatThrownBy(() -> ExactKl.of(two, 1, three, 1, BOTH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("policyLogits 2, behaviorLogits 3, kept 2");
    assertThatThrownBy(() -> ExactKl.of(three, 1, three, 1, BOTH))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ExactKl.of(two, 1, two, 1, new boolean[2]))
        .hasMessageContaining("no token is kept");
    for (double temperature : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> ExactKl.of(two, temperature, two, 1, BOTH))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("temperature " + temperature);
      assertThatThrownBy(() -> ExactKl.of(two, 1, two, temperature, BOTH))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void valueIsTheDefinitionOnRandomDistributions() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int size = 1 + random.nextInt(10);
      double[] p = normalized(random.doubles(size, 0.01, 1).toArray());
      double[] q = normalized(random.doubles(size, 0.01, 1).toArray());
      double kl = IntStream.range(0, size).mapToDouble(v -> p[v] * Math.log(p[v] / q[v])).sum();
      boolean[] kept = new boolean[size];
      Arrays.fill(kept, true);
      assertThat(
              ExactKl.of(
                      Arrays.stream(p).map(Math::log).toArray(),
                      1,
                      Arrays.stream(q).map(Math::log).toArray(),
                      1,
                      kept)
                  .value())
          .as("seed %d", seed)
          .isCloseTo(kl, within(1e-14));
    }
  }

  private static double[] normalized(double[] weights) {
    double sum = Arrays.stream(weights).sum();
    return Arrays.stream(weights).map(w -> w / sum).toArray();
  }
}
