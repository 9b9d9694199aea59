package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Figures worked out by hand; all tokens have log π_θ = −1. */
class ClippedObjectivesTest {

  private static final Offset<Double> ROUNDING = within(1e-14);

  /** Four tokens of the step are elsewhere: N = 8. */
  private static final StepContext CONTEXT = new StepContext(0.5, 8);

  /** Ratios 2, 2, 1/2 and 1/2, with advantages of either sign. */
  private static final TokenBatch TOKENS = tokens(new double[] {2, 2, 0.5, 0.5}, 1, -1, 1, -1);

  @Test
  void ppoIsGrpoWhereTheDualClipDoesNotAct() {
    TokenLosses losses = new PpoClip(0.2, 3).evaluate(TOKENS, CONTEXT);
    TokenLosses grpo = new Grpo(0.2, 0.2).evaluate(TOKENS, CONTEXT);
    assertThat(losses.tokenLoss()).isEqualTo(grpo.tokenLoss());
    assertThat(losses.gradient()).isEqualTo(grpo.gradient());
    assertThat(losses.limitedTokens()).isEqualTo(grpo.limitedTokens()).isEqualTo(2);
  }

  /** A ratio of 4 is cut to 3 where the advantage is negative, to 1.2 where it is positive. */
  @Test
  void ppoBoundsTheLossOfANegativeAdvantage() {
    TokenLosses losses =
        new PpoClip(0.2, 3).evaluate(tokens(new double[] {4, 4, 2.5, 4}, -2, 2, -2, 0), CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {6, -2.4, 5, 0}, ROUNDING);
    assertThat(losses.gradient()).containsExactly(new double[] {0, 0, 5.0 / 8, 0}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(2);
  }

  @Test
  void ppoLeavesARatioEqualToTheDualClipItsGradient() {
    TokenBatch tokens = ObjectiveTest.all(new double[] {-1}, new double[] {-2}, -2);
    TokenLosses losses = new PpoClip(0.2, Math.exp(1)).evaluate(tokens, CONTEXT);
    assertThat(losses.gradient()).containsExactly(2 * Math.exp(1) / 8);
    assertThat(losses.limitedTokens()).isZero();
  }

  /** exp(1000 nats) is infinite and 0 · ∞ is not a number. */
  @Test
  void ppoStaysFiniteForANegativeAdvantageWhateverTheRatio() {
    TokenBatch tokens = ObjectiveTest.all(new double[] {-1}, new double[] {-1001}, -2);
    TokenLosses losses = new PpoClip(0.2, 3).evaluate(tokens, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(6);
    assertThat(losses.gradient()).containsExactly(0);
  }

  @Test
  void dapoClipsHigherThanItClipsLow() {
    TokenLosses losses = new Dapo(0.2, 0.28).evaluate(TOKENS, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {-1.28, 2, -0.5, 0.8}, ROUNDING);
    assertThat(losses.gradient()).containsExactly(new double[] {0, 0.25, -0.0625, 0}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(2);
  }

  /** No token loses its gradient. */
  @Test
  void cispoClipsTheWeightOnly() {
    TokenLosses losses = new Cispo(0.2, 0.3).evaluate(TOKENS, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {1.3, -1.3, 0.8, -0.8}, ROUNDING);
    assertThat(losses.gradient())
        .containsExactly(new double[] {-1.3 / 8, 1.3 / 8, -0.1, 0.1}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(4);
    assertThat(new Cispo(0.5, 1).evaluate(TOKENS, CONTEXT).limitedTokens()).isZero();
  }

  @Test
  void truncatedImportanceSamplingHasNoLowerBound() {
    TokenLosses losses = new TruncatedImportanceSampling(1.5).evaluate(TOKENS, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {1.5, -1.5, 0.5, -0.5}, ROUNDING);
    assertThat(losses.gradient())
        .containsExactly(new double[] {-1.5 / 8, 1.5 / 8, -0.0625, 0.0625}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(2);
    assertThat(new TruncatedImportanceSampling(2).evaluate(TOKENS, CONTEXT).limitedTokens())
        .isZero();
  }

  /** Responses of ratios (2, 1/2) and (4, 1): s = 1 and s = 2. */
  @Test
  void gspoTakesOneRatioPerResponse() {
    TokenBatch tokens =
        tokens(new double[] {2, 4, 0.5, 1}, 1, 1, 1, -1).withSequences(new int[] {7, 0, 7, 0});
    TokenLosses losses = new Gspo(0.2, 0.3).evaluate(tokens, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {-1, -1.3, -1, 2}, ROUNDING);
    assertThat(losses.gradient())
        .containsExactly(new double[] {-1.0 / 8, 0, -1.0 / 8, 0.25}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(1);
  }

  @Test
  void gspoLeavesMaskedTokensOutOfTheRatioOfTheirResponse() {
    double[] logprobs = {-1, Double.NaN, -1};
    TokenBatch tokens =
        new TokenBatch(
                logprobs,
                new double[] {-1 - Math.log(1.1), 0, -1 - Math.log(1.1)},
                new double[] {1, 1, 1},
                new boolean[] {true, false, true})
            .withSequences(new int[3]);
    assertThat(new Gspo(0.2, 0.3).evaluate(tokens, CONTEXT).tokenLoss())
        .containsExactly(new double[] {-1.1, 0, -1.1}, ROUNDING);
  }

  /** With one advantage per response, the gradient of |y| · min(s A, clip(s) A) in every log π. */
  @Test
  void gspoHasTheGradientOfItsSequenceForm() {
    double[] ratios = {1.05, 0.9, 1.1, 0.8, 0.85};
    TokenBatch tokens =
        tokens(ratios, 0.7, 0.7, 0.7, -1.2, -1.2).withSequences(new int[] {0, 0, 0, 1, 1});
    double[] gradient = new Gspo(0.2, 0.2).evaluate(tokens, CONTEXT).gradient();
    double step = 1e-6;
    for (int t = 0; t < ratios.length; t++) {
      int y = tokens.sequence(t);
      int length = y == 0 ? 3 : 2;
      double up = PaperOracle.sequenceRatio(PaperOracle.moved(tokens, t, step), y);
      double down = PaperOracle.sequenceRatio(PaperOracle.moved(tokens, t, -step), y);
      double slope = -length * tokens.advantage(t) * (up - down) / (2 * step) / 8;
      assertThat(gradient[t]).as("token %d", t).isCloseTo(slope, within(1e-9));
    }
  }

  /** π_prox = π_θ: the clip never acts, what is left is the weight, capped at 1.5. */
  @Test
  void decoupledPpoIsWeightedReinforceWhenTheProximalPolicyIsThePolicy() {
    TokenLosses losses = new DecoupledPpo(0.2, 1.5).evaluate(TOKENS, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {-1.5, 1.5, -0.5, 0.5}, ROUNDING);
    assertThat(losses.gradient())
        .containsExactly(new double[] {-1.5 / 8, 1.5 / 8, -0.0625, 0.0625}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(2);
    assertThat(new DecoupledPpo(0.2, 2).evaluate(TOKENS, CONTEXT).limitedTokens()).isZero();
  }

  /** π_prox / π_b = 1/2 and π_θ / π_prox = 4, 1; the clip is around π_prox. */
  @Test
  void decoupledPpoClipsAroundTheProximalPolicy() {
    double prox = -1 - Math.log(4);
    TokenBatch tokens =
        ObjectiveTest.all(
                new double[] {-1, prox},
                new double[] {prox + Math.log(2), prox + Math.log(2)},
                1,
                1)
            .withProximalLogprobs(new double[] {prox, prox});
    TokenLosses losses = new DecoupledPpo(0.2, 1.5).evaluate(tokens, CONTEXT);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {-0.6, -0.5}, ROUNDING);
    assertThat(losses.gradient()).containsExactly(new double[] {0, -0.0625}, ROUNDING);
    assertThat(losses.limitedTokens()).isEqualTo(1);
  }

  static Stream<Arguments> refused() {
    double infinity = Double.POSITIVE_INFINITY;
    return Stream.of(
        refused("clipLow 0.0", () -> new Grpo(0, 0.2)),
        refused("clipLow -0.1", () -> new Dapo(-0.1, 0.2)),
        refused("clipLow 1.1", () -> new Cispo(1.1, 0.2)),
        refused("clipLow NaN", () -> new Gspo(Double.NaN, 0.2)),
        refused("clipHigh 0.0", () -> new Grpo(0.2, 0)),
        refused("clipHigh 0.0", () -> new Dapo(0.2, 0)),
        refused("clipHigh NaN", () -> new Cispo(0.2, Double.NaN)),
        refused("clipHigh Infinity", () -> new Gspo(0.2, infinity)),
        refused("clipLow 0.0", () -> new PpoClip(0, 3)),
        refused("dualClip 1.0", () -> new PpoClip(0.2, 1)),
        refused("dualClip Infinity", () -> new PpoClip(0.2, infinity)),
        refused("dualClip NaN", () -> new PpoClip(0.2, Double.NaN)),
        refused("clipLow 0.0", () -> new DecoupledPpo(0, 2)),
        refused("behaviorCap 0.0", () -> new DecoupledPpo(0.2, 0)),
        refused("behaviorCap Infinity", () -> new DecoupledPpo(0.2, infinity)),
        refused("cap 0.0", () -> new TruncatedImportanceSampling(0)),
        refused("cap NaN", () -> new TruncatedImportanceSampling(Double.NaN)),
        refused("cap Infinity", () -> new TruncatedImportanceSampling(infinity)));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void constructorNamesWhatIsOutOfRange(String message, Supplier<Objective> construction) {
    assertThatThrownBy(construction::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  /** A weight without a lower bound. */
  @Test
  void clipLowMayBeOne() {
    assertThat(new Cispo(1, 2).evaluate(TOKENS, CONTEXT).limitedTokens()).isZero();
  }

  private static Arguments refused(String message, Supplier<Objective> construction) {
    return Arguments.of(message, construction);
  }

  private static TokenBatch tokens(double[] ratios, double... advantages) {
    double[] logprobs = new double[ratios.length];
    double[] behaviorLogprobs = new double[ratios.length];
    for (int t = 0; t < ratios.length; t++) {
      logprobs[t] = -1;
      behaviorLogprobs[t] = -1 - Math.log(ratios[t]);
    }
    return ObjectiveTest.all(logprobs, behaviorLogprobs, advantages);
  }
}
