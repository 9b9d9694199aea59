package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GrpoTest {

  @Test
  void idNamesTheClip() {
    assertThat(new Grpo(0.2, 0.2).id()).isEqualTo("grpo/0.2");
    assertThat(new Grpo(0.2, 0.28).id()).isEqualTo("grpo/0.2/0.28");
  }

  /**
   * Ratios 2, 2, 1/2, 1/2 with advantages of either sign: the clip acts where it is pessimistic.
   */
  @Test
  void evaluateAgreesWithTheFiguresWorkedOutByHand() {
    double ln2 = Math.log(2);
    TokenBatch tokens =
        new TokenBatch(
            new double[] {-1, -1, -1, -1},
            new double[] {-1 - ln2, -1 - ln2, -1 + ln2, -1 + ln2},
            new double[] {1, -1, 1, -1},
            new boolean[] {true, true, true, true});
    TokenLosses losses = new Grpo(0.2, 0.3).evaluate(tokens, new StepContext(0.5, 4));
    assertThat(losses.tokenLoss())
        .containsExactly(new double[] {-1.3, 2, -0.5, 0.8}, within(1e-15));
    assertThat(losses.gradient()).containsExactly(new double[] {0, 0.5, -0.125, 0}, within(1e-15));
    assertThat(losses.limitedTokens()).isEqualTo(2);
    assertThat(losses.klLoss()).isZero();
    assertThat(losses.loss()).isCloseTo(1.0 / 4, within(1e-15));
  }

  /** The surrogate of the paper, −min(ρ A, clip(ρ) A), term by term. */
  @Test
  void evaluateAgreesWithThePaperOnRandomSteps() {
    for (long seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TokenBatch tokens = RandomTokens.batch(random, 1 + random.nextInt(60), 1);
      double sum = 0;
      int n = 0;
      for (int t = 0; t < tokens.length(); t++) {
        if (tokens.isValid(t)) {
          double rho = Math.exp(tokens.logRatio(t));
          double clipped = rho < 0.8 ? 0.8 : rho > 1.2 ? 1.2 : rho;
          sum -= Math.min(rho * tokens.advantage(t), clipped * tokens.advantage(t));
          n++;
        }
      }
      TokenLosses losses = new Grpo(0.2, 0.2).evaluate(tokens, new StepContext(1, n));
      assertThat(losses.loss()).as("seed %d", seed).isCloseTo(sum / n, within(1e-12));
    }
  }

  @Test
  void evaluateStaysFiniteAtFiveHundredNats() {
    TokenBatch tokens =
        new TokenBatch(
            new double[] {-501, -1},
            new double[] {-1, -501},
            new double[] {1, -1},
            new boolean[] {true, true});
    TokenLosses losses = new Grpo(0.2, 0.2).evaluate(tokens, new StepContext(0.5, 2));
    assertThat(losses.loss()).isFinite();
    assertThat(losses.gradient()[0]).isFinite();
    assertThat(losses.gradient()[1]).isFinite();
  }

  @Test
  void evaluateLeavesMaskedTokensOutWhateverTheyHold() {
    TokenBatch dense = RandomTokens.valid(new SplittableRandom(5), 6, 1);
    TokenLosses expected = new Grpo(0.2, 0.2).evaluate(dense, new StepContext(1, 6));
    TokenLosses found =
        new Grpo(0.2, 0.2)
            .evaluate(RandomTokens.withMaskedNaNsBetween(dense), new StepContext(1, 6));
    assertThat(found.loss()).isEqualTo(expected.loss());
    assertThat(found.gradient()[0]).isZero();
  }
}
