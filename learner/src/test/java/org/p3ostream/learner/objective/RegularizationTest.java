package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegularizationTest {

  private static final StepContext CONTEXT = new StepContext(0.5, 4);
  private static final Objective OBJECTIVE = new Grpo(0.2, 0.2);

  /** log π_θ − log π_ref = ± ln 2: k3 = ln 2 − 1/2 and 1 − ln 2, slopes 1/2 and −1. */
  @Test
  void addToAgreesWithTheFiguresWorkedOutByHand() {
    double ln2 = Math.log(2);
    TokenBatch tokens =
        ObjectiveTest.all(new double[] {-1, -1}, new double[] {-1, -1}, 0, 0)
            .withReferenceLogprobs(new double[] {-1 - ln2, -1 + ln2})
            .withEntropies(new double[] {3, 5});
    TokenLosses losses =
        new Regularization(0.1, 0.01).addTo(OBJECTIVE.evaluate(tokens, CONTEXT), tokens, CONTEXT);
    double first = 0.1 * (ln2 - 0.5) - 0.03;
    double second = 0.1 * (1 - ln2) - 0.05;
    assertThat(losses.tokenLoss()).containsExactly(new double[] {first, second}, within(1e-15));
    assertThat(losses.gradient()).containsExactly(new double[] {0.0125, -0.025}, within(1e-15));
    assertThat(losses.regularizationLoss()).isCloseTo((first + second) / 4, within(1e-15));
    assertThat(losses.loss()).isEqualTo(losses.regularizationLoss());
  }

  @Test
  void addToKeepsTheLossesOfTheObjective() {
    TokenBatch tokens = RandomTokens.complete(new SplittableRandom(3), 30, 1);
    for (Objective objective : PaperOracle.objectives().toList()) {
      TokenLosses plain = objective.evaluate(tokens, CONTEXT);
      double[] before = plain.tokenLoss().clone();
      TokenLosses added = new Regularization(0.3, 0.2).addTo(plain, tokens, CONTEXT);
      assertThat(added.policyLoss()).isEqualTo(plain.policyLoss());
      assertThat(added.klLoss()).isEqualTo(plain.klLoss());
      assertThat(added.limitedTokens()).isEqualTo(plain.limitedTokens());
      assertThat(plain.tokenLoss()).isEqualTo(before);
      assertThat(added.loss())
          .isCloseTo(PaperOracle.sum(added.tokenLoss()) / 4, within(1e-13))
          .isNotEqualTo(plain.loss());
      TokenLosses twice = new Regularization(0.3, 0.2).addTo(added, tokens, CONTEXT);
      assertThat(twice.regularizationLoss())
          .isCloseTo(2 * added.regularizationLoss(), within(1e-14));
    }
  }

  @Test
  void gradientIsTheSlopeOfTheReferenceKl() {
    double step = 1e-6;
    Regularization regularization = new Regularization(0.7, 0);
    for (long seed = 0; seed < 20; seed++) {
      TokenBatch tokens = RandomTokens.complete(new SplittableRandom(seed), 10, 1);
      double[] gradient = of(regularization, tokens).gradient();
      for (int t = 0; t < tokens.length(); t++) {
        double slope =
            (of(regularization, PaperOracle.moved(tokens, t, step)).loss()
                    - of(regularization, PaperOracle.moved(tokens, t, -step)).loss())
                / (2 * step);
        assertThat(gradient[t])
            .as("seed %d token %d", seed, t)
            .isCloseTo(tokens.isValid(t) ? slope : 0, within(1e-9));
      }
    }
  }

  /** Beyond the clamp descent still raises the log-prob. */
  @Test
  void gradientOfAFarReferenceHasTheRightSign() {
    TokenBatch tokens =
        ObjectiveTest.all(new double[] {-501, -1}, new double[] {-501, -1}, 0, 0)
            .withReferenceLogprobs(new double[] {-1, -501});
    double[] gradient = of(new Regularization(1, 0), tokens).gradient();
    assertThat(gradient[0]).isEqualTo((1 - Math.exp(10)) / 4);
    assertThat(gradient[1]).isEqualTo(0.25);
  }

  @Test
  void addToNeedsOnlyWhatItsWeightsAskFor() {
    TokenBatch tokens = RandomTokens.valid(new SplittableRandom(1), 2, 1);
    assertThat(of(Regularization.NONE, tokens).loss()).isZero();
    assertThat(Regularization.NONE.usesReference()).isFalse();
    assertThat(Regularization.NONE.usesEntropy()).isFalse();
    assertThatThrownBy(() -> of(new Regularization(1e-9, 0), tokens))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("withReferenceLogprobs");
    assertThatThrownBy(() -> of(new Regularization(0, 1e-9), tokens))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("withEntropies");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1e-9, Double.NaN, Double.POSITIVE_INFINITY})
  void constructorNamesTheWeightThatIsOutOfRange(double weight) {
    assertThatThrownBy(() -> new Regularization(weight, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("referenceKl " + weight);
    assertThatThrownBy(() -> new Regularization(0, weight))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("entropy " + weight);
  }

  /** The terms alone: all advantages are taken out. */
  private static TokenLosses of(Regularization regularization, TokenBatch tokens) {
    TokenLosses none =
        new TokenLosses(new double[tokens.length()], new double[tokens.length()], 0, 0, 0, 0);
    return regularization.addTo(none, tokens, CONTEXT);
  }
}
