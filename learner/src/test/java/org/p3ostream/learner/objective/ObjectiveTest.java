package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** What holds of every objective. */
class ObjectiveTest {

  static Stream<Objective> objectives() {
    return PaperOracle.objectives();
  }

  @Test
  void idsNameTheVariant() {
    assertThat(objectives().map(Objective::id))
        .containsExactly(
            "p3o/step/proxy",
            "p3o/step/proxy-safe",
            "p3o/step/exact",
            "p3o/step/none",
            "p3o/micro-batch/proxy",
            "p3o/micro-batch/proxy-safe",
            "p3o/micro-batch/exact",
            "p3o/micro-batch/none",
            "p3o/step/proxy-safe/cap-none",
            "p3o/step/exact/cap-none",
            "grpo/0.2",
            "grpo/0.1/0.28",
            "ppo/0.2/1.5",
            "dapo/0.2/0.28",
            "cispo/0.2/0.28",
            "gspo/0.05/0.1",
            "tis/1.25",
            "decoupled-ppo/0.2/1.25");
    assertThat(new Gspo(3e-4, 4e-4).id()).isEqualTo("gspo/3e-4/4e-4");
    assertThat(new Gspo(3.5e-4, 4e-4).id()).isEqualTo("gspo/3.5e-4/4e-4");
    assertThat(new P3o()).isEqualTo(new P3o(EssScope.STEP, KlMode.PROXY));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateAgreesWithThePaperOnRandomSteps(Objective objective) {
    for (long seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TokenBatch tokens = RandomTokens.complete(random, 1 + random.nextInt(60), 1.5);
      double e = PaperOracle.ess(tokens);
      RatioStatistics ratios = GoldenCase.ratios(tokens);
      assertThat(ratios.normalizedEss()).as("seed %d", seed).isCloseTo(e, within(1e-12));
      long n = ratios.tokenCount() + random.nextInt(20);
      TokenLosses losses = objective.evaluate(tokens, new StepContext(e, n));
      for (int t = 0; t < tokens.length(); t++) {
        double expected =
            tokens.isValid(t) ? PaperOracle.tokenLoss(objective, tokens, tokens, e, t) : 0;
        assertThat(losses.tokenLoss()[t])
            .as("seed %d token %d", seed, t)
            .isCloseTo(expected, within(1e-12));
      }
      assertThat(losses.loss())
          .as("seed %d", seed)
          .isCloseTo(PaperOracle.loss(objective, tokens, tokens, e, n), within(1e-11));
    }
  }

  /** What stands under a stop-gradient is held while the log-prob of one token is varied. */
  @ParameterizedTest
  @MethodSource("objectives")
  void gradientIsTheSlopeOfTheLossOfThePaper(Objective objective) {
    double step = 1e-6;
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(1000 + seed);
      TokenBatch tokens = RandomTokens.complete(random, 1 + random.nextInt(40), 1.5);
      double e = random.nextDouble();
      long n = GoldenCase.ratios(tokens).tokenCount();
      TokenLosses losses = objective.evaluate(tokens, new StepContext(e, n));
      for (int t = 0; t < tokens.length(); t++) {
        double expected = 0;
        if (tokens.isValid(t)) {
          TokenBatch up = PaperOracle.moved(tokens, t, step);
          TokenBatch down = PaperOracle.moved(tokens, t, -step);
          expected =
              (PaperOracle.tokenLoss(objective, up, tokens, e, t)
                      - PaperOracle.tokenLoss(objective, down, tokens, e, t))
                  / (2 * step)
                  / n;
        }
        assertThat(losses.gradient()[t])
            .as("seed %d token %d", 1000 + seed, t)
            .isCloseTo(expected, within(2e-8));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void microBatchesOfAStepAddUp(Objective objective) {
    for (long seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TokenBatch first = RandomTokens.complete(random, 8 * (1 + random.nextInt(3)), 1);
      TokenBatch second = RandomTokens.complete(random, 1 + random.nextInt(16), 1);
      StepContext context = new StepContext(0.7, first.length() + second.length());
      TokenLosses whole = objective.evaluate(concatenated(first, second), context);
      TokenLosses one = objective.evaluate(first, context);
      TokenLosses other = objective.evaluate(second, context);
      assertThat(one.loss() + other.loss())
          .as("seed %d", seed)
          .isCloseTo(whole.loss(), within(1e-13));
      assertThat(one.policyLoss() + other.policyLoss())
          .isCloseTo(whole.policyLoss(), within(1e-13));
      assertThat(one.klLoss() + other.klLoss()).isCloseTo(whole.klLoss(), within(1e-13));
      assertThat(one.limitedTokens() + other.limitedTokens()).isEqualTo(whole.limitedTokens());
      assertThat(concatenated(one.gradient(), other.gradient())).isEqualTo(whole.gradient());
      assertThat(concatenated(one.tokenLoss(), other.tokenLoss())).isEqualTo(whole.tokenLoss());
      assertThat(PaperOracle.sum(whole.tokenLoss()) / context.validTokens())
          .isCloseTo(whole.loss(), within(1e-13));
    }
  }

  /** Also infinities of either sign: nothing of a masked token is looked at. */
  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateLeavesMaskedTokensOutWhateverTheyHold(Objective objective) {
    boolean[] onlyLast = new boolean[12];
    onlyLast[11] = true;
    double[] bad = new double[12];
    Arrays.fill(bad, 0, 4, Double.NaN);
    Arrays.fill(bad, 4, 8, Double.POSITIVE_INFINITY);
    Arrays.fill(bad, 8, 11, Double.NEGATIVE_INFINITY);
    bad[11] = -0.5;
    TokenLosses holed =
        objective.evaluate(
            new TokenBatch(bad, bad, bad, onlyLast)
                .withSequences(new int[12])
                .withExactKl(bad)
                .withProximalLogprobs(bad),
            new StepContext(0.5, 1));
    double[] value = {-0.5};
    TokenLosses alone =
        objective.evaluate(
            new TokenBatch(value, value, value, new boolean[] {true})
                .withSequences(new int[1])
                .withExactKl(value),
            new StepContext(0.5, 1));
    assertThat(holed.loss()).isEqualTo(alone.loss()).isNotZero();
    assertThat(holed.limitedTokens()).isEqualTo(alone.limitedTokens());
    assertThat(Arrays.copyOf(holed.gradient(), 11)).containsOnly(0);
    assertThat(Arrays.copyOf(holed.tokenLoss(), 11)).containsOnly(0);
    assertThat(holed.gradient()[11]).isEqualTo(alone.gradient()[0]);
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateOfADummyMicroBatchIsNothing(Objective objective) {
    for (int length : new int[] {0, 3}) {
      double[] nan = new double[length];
      Arrays.fill(nan, Double.NaN);
      TokenLosses losses =
          objective.evaluate(
              new TokenBatch(nan, nan, nan, new boolean[length]), new StepContext(0, 7));
      assertThat(losses.loss()).isZero();
      assertThat(losses.limitedTokens()).isZero();
      assertThat(losses.gradient()).hasSize(length);
      assertThat(PaperOracle.sum(losses.gradient())).isZero();
      assertThat(PaperOracle.sum(losses.tokenLoss())).isZero();
    }
  }

  /** The cap comes from the step, never from the tokens at hand. */
  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateTakesNothingOfTheStepFromTheTokens(Objective objective) {
    TokenBatch tokens = RandomTokens.complete(new SplittableRandom(8), 20, 1);
    TokenLosses once = objective.evaluate(tokens, new StepContext(0.3, 40));
    TokenLosses again = objective.evaluate(tokens, new StepContext(0.3, 80));
    assertThat(again.loss()).isCloseTo(once.loss() / 2, within(1e-15));
    assertThat(again.tokenLoss()).isEqualTo(once.tokenLoss());
    TokenLosses trusted = objective.evaluate(tokens, new StepContext(0.9, 40));
    assertThat(trusted.loss() == once.loss()).isEqualTo(!(objective instanceof P3o));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateStaysFiniteAtFiveHundredNats(Objective objective) {
    for (double sign : new double[] {1, -1}) {
      TokenBatch tokens =
          all(new double[] {-501, -1, -1}, new double[] {-1, -501, -1}, sign, -sign, 0.5)
              .withSequences(new int[] {0, 1, 2})
              .withExactKl(new double[] {500, 500, 0});
      RatioStatistics ratios = GoldenCase.ratios(tokens);
      assertThat(ratios.normalizedEss()).isCloseTo(1.0 / 3, within(1e-12));
      TokenLosses losses = objective.evaluate(tokens, new StepContext(ratios.normalizedEss(), 3));
      assertThat(losses.loss()).isFinite();
      assertThat(Arrays.stream(losses.gradient()).allMatch(Double::isFinite)).isTrue();
    }
  }

  /** Every ratio underflows: the sums are 0 in plain float64, the statistics are not. */
  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateStaysFiniteWhenEveryRatioUnderflows(Objective objective) {
    TokenBatch tokens =
        all(new double[] {-901, -902}, new double[] {-1, -1}, 1, -1)
            .withSequences(new int[2])
            .withExactKl(new double[] {3, 3});
    RatioStatistics ratios = GoldenCase.ratios(tokens);
    assertThat(ratios.isFinite()).isTrue();
    assertThat(ratios.normalizedEss()).isLessThan(1e-300);
    TokenLosses losses = objective.evaluate(tokens, new StepContext(ratios.normalizedEss(), 2));
    assertThat(losses.loss()).isFinite();
    assertThat(Arrays.stream(losses.gradient()).allMatch(Double::isFinite)).isTrue();
  }

  /** On policy every objective's gradient is REINFORCE's; P3O's by its ESS of almost 1. */
  @ParameterizedTest
  @MethodSource("objectives")
  void gradientOnPolicyIsThatOfReinforce(Objective objective) {
    double[] logprobs = {-0.3, -2.5, -7, -0.01};
    double[] advantages = {1.2, -0.7, 0, 3};
    TokenBatch tokens =
        all(logprobs, logprobs.clone(), advantages)
            .withSequences(new int[] {0, 0, 1, 1})
            .withExactKl(new double[4]);
    double ess = GoldenCase.ratios(tokens).normalizedEss();
    assertThat(ess).isCloseTo(1, within(1e-8));
    TokenLosses losses = objective.evaluate(tokens, new StepContext(ess, 4));
    for (int t = 0; t < 4; t++) {
      assertThat(losses.gradient()[t]).isCloseTo(-advantages[t] / 4, within(1e-8));
    }
    assertThat(losses.klLoss()).isZero();
  }

  @Test
  void evaluateNamesWhatTheTokensLack() {
    TokenBatch tokens = RandomTokens.valid(new SplittableRandom(1), 2, 1);
    StepContext context = new StepContext(1, 2);
    assertThatThrownBy(() -> new Gspo(0.1, 0.1).evaluate(tokens, context))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("withSequences");
    assertThatThrownBy(() -> new P3o(EssScope.STEP, KlMode.EXACT).evaluate(tokens, context))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("withExactKl");
  }

  static TokenBatch all(double[] logprobs, double[] behaviorLogprobs, double... advantages) {
    boolean[] valid = new boolean[logprobs.length];
    Arrays.fill(valid, true);
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid);
  }

  /** The second batch's responses are numbered on. */
  private static TokenBatch concatenated(TokenBatch a, TokenBatch b) {
    int length = a.length() + b.length();
    double[] logprobs = new double[length];
    double[] behaviorLogprobs = new double[length];
    double[] advantages = new double[length];
    boolean[] valid = new boolean[length];
    int[] sequences = new int[length];
    double[] kl = new double[length];
    double[] proximal = new double[length];
    for (int i = 0; i < length; i++) {
      TokenBatch from = i < a.length() ? a : b;
      int t = i < a.length() ? i : i - a.length();
      logprobs[i] = from.logprob(t);
      behaviorLogprobs[i] = from.behaviorLogprob(t);
      advantages[i] = from.advantage(t);
      valid[i] = from.isValid(t);
      sequences[i] = from.sequence(t) + (from == b ? 1000 : 0);
      kl[i] = from.exactKl(t);
      proximal[i] = from.proximalLogprob(t);
    }
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid)
        .withSequences(sequences)
        .withExactKl(kl)
        .withProximalLogprobs(proximal);
  }

  private static double[] concatenated(double[] a, double[] b) {
    double[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
