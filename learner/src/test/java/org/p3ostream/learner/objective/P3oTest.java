package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.ratio.RatioStatistics;

class P3oTest {

  private final P3o p3o = new P3o();

  @Test
  void idNamesScopeAndKlMode() {
    assertThat(p3o.id()).isEqualTo("p3o/step/proxy");
  }

  /**
   * Ratios 2 and 1/2: S1 = 2.5, S2 = 4.25, e = 6.25 / 8.5 = 0.7352941...; K(ln 2) = ln 2 − 1/2,
   * K(−ln 2) = 1 − ln 2.
   */
  @Test
  void evaluateAgreesWithTheFiguresWorkedOutByHand() {
    double ln2 = Math.log(2);
    TokenBatch tokens =
        new TokenBatch(
            new double[] {-1, -3},
            new double[] {-1 - ln2, -3 + ln2},
            new double[] {1, -1},
            new boolean[] {true, true});
    RatioStatistics ratios = RatioStatistics.of(tokens.logRatios(), tokens.validMask());
    double e = 6.25 / (2 * (4.25 + 1e-8));
    assertThat(ratios.normalizedEss()).isCloseTo(e, within(1e-14));

    TokenLosses losses = p3o.evaluate(tokens, new StepContext(e, 2));
    double first = e * 1 + (1 - e) * (ln2 - 0.5); // −min(2, e) · (−1) · 1
    double second = -0.5 * -3 * -1 + (1 - e) * (1 - ln2);
    assertThat(losses.tokenLoss()).containsExactly(new double[] {first, second}, within(1e-14));
    assertThat(losses.loss()).isCloseTo((first + second) / 2, within(1e-14));
    assertThat(losses.policyLoss()).isCloseTo((e - 1.5) / 2, within(1e-14));
    assertThat(losses.klLoss()).isCloseTo((1 - e) * 0.5 / 2, within(1e-14));
    assertThat(losses.gradient()[0]).isCloseTo((-e + (1 - e) * 0.5) / 2, within(1e-14));
    assertThat(losses.gradient()[1]).isCloseTo((0.5 + (1 - e) * -1) / 2, within(1e-14));
    assertThat(losses.limitedTokens()).isEqualTo(1);
  }

  @Test
  void evaluateIsTheOnPolicyGradientWhenPolicyAndBehaviourAgree() {
    double[] logprobs = {-0.3, -2.5, -7, -0.01};
    double[] advantages = {1.2, -0.7, 0, 3};
    boolean[] valid = {true, true, true, true};
    TokenBatch tokens = new TokenBatch(logprobs, logprobs.clone(), advantages, valid);
    double ess = RatioStatistics.of(tokens.logRatios(), valid).normalizedEss();
    assertThat(ess).isCloseTo(1, within(1e-8));
    TokenLosses losses = p3o.evaluate(tokens, new StepContext(ess, 4));
    for (int t = 0; t < 4; t++) {
      assertThat(losses.gradient()[t]).isCloseTo(-advantages[t] * ess / 4, within(1e-15));
    }
    assertThat(losses.klLoss()).isZero();
  }

  /** Equations 11 and 12 of the paper, term by term, with the sampled KL. */
  @Test
  void evaluateAgreesWithThePaperOnRandomSteps() {
    for (long seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TokenBatch tokens = RandomTokens.batch(random, 1 + random.nextInt(60), 3);
      double s1 = 0;
      double s2 = 0;
      int n = 0;
      for (int t = 0; t < tokens.length(); t++) {
        if (tokens.isValid(t)) {
          double rho = Math.exp(tokens.logRatio(t));
          s1 += rho;
          s2 += rho * rho;
          n++;
        }
      }
      double e = s1 * s1 / (n * (s2 + 1e-8));
      double loss = 0;
      for (int t = 0; t < tokens.length(); t++) {
        if (tokens.isValid(t)) {
          double l = tokens.logRatio(t);
          double kl = l + Math.exp(-l) - 1;
          loss +=
              -Math.min(Math.exp(l), e) * tokens.logprob(t) * tokens.advantage(t) + (1 - e) * kl;
        }
      }
      RatioStatistics ratios = RatioStatistics.of(tokens.logRatios(), tokens.validMask());
      assertThat(ratios.normalizedEss()).as("seed %d", seed).isCloseTo(e, within(1e-12));
      assertThat(p3o.evaluate(tokens, new StepContext(Math.min(1, e), n)).loss())
          .as("seed %d", seed)
          .isCloseTo(loss / n, within(1e-11));
    }
  }

  /** The coefficient min(ρ, e) is detached: it is held at its value while log π_θ is varied. */
  @Test
  void gradientIsTheSlopeOfTheLossWithTheCoefficientHeld() {
    for (long seed = 0; seed < 50; seed++) {
      TokenBatch tokens = RandomTokens.batch(new SplittableRandom(seed), 20, 2);
      long n = tokens.length() - masked(tokens);
      StepContext context = new StepContext(0.6, n);
      TokenLosses losses = p3o.evaluate(tokens, context);
      double step = 1e-5;
      for (int t = 0; t < tokens.length(); t++) {
        double expected = 0;
        if (tokens.isValid(t)) {
          double l = tokens.logRatio(t);
          double coefficient = Math.min(Math.exp(l), 0.6);
          expected =
              (-coefficient * tokens.advantage(t)
                      + 0.4 * (KlProxy.value(l + step) - KlProxy.value(l - step)) / (2 * step))
                  / n;
        }
        assertThat(losses.gradient()[t])
            .as("seed %d token %d", seed, t)
            .isCloseTo(expected, within(1e-8));
      }
    }
  }

  @Test
  void limitedTokensLeavesOutARatioEqualToTheCap() {
    double[] logprobs = {-1, -2};
    TokenBatch tokens =
        new TokenBatch(logprobs, logprobs, new double[2], new boolean[] {true, true});
    assertThat(p3o.evaluate(tokens, new StepContext(1, 2)).limitedTokens()).isZero();
    assertThat(p3o.evaluate(tokens, new StepContext(0.999, 2)).limitedTokens()).isEqualTo(2);
  }

  @Test
  void evaluateStaysFiniteAtFiveHundredNats() {
    TokenBatch tokens =
        new TokenBatch(
            new double[] {-501, -1, -1},
            new double[] {-1, -501, -1},
            new double[] {1, -1, 0.5},
            new boolean[] {true, true, true});
    RatioStatistics ratios = RatioStatistics.of(tokens.logRatios(), tokens.validMask());
    assertThat(ratios.normalizedEss()).isCloseTo(1.0 / 3, within(1e-12));
    TokenLosses losses = p3o.evaluate(tokens, new StepContext(ratios.normalizedEss(), 3));
    assertThat(losses.loss()).isFinite();
    assertThat(Arrays.stream(losses.gradient()).allMatch(Double::isFinite)).isTrue();
  }

  @Test
  void evaluateLeavesMaskedTokensOutWhateverTheyHold() {
    TokenBatch dense = RandomTokens.valid(new SplittableRandom(5), 6, 1);
    TokenBatch holed = RandomTokens.withMaskedNaNsBetween(dense);
    TokenLosses expected = p3o.evaluate(dense, new StepContext(0.5, 6));
    TokenLosses found = p3o.evaluate(holed, new StepContext(0.5, 6));
    assertThat(found.loss()).isEqualTo(expected.loss());
    assertThat(found.limitedTokens()).isEqualTo(expected.limitedTokens());
    for (int t = 0; t < dense.length(); t++) {
      assertThat(found.gradient()[2 * t]).isZero();
      assertThat(found.tokenLoss()[2 * t]).isZero();
      assertThat(found.gradient()[2 * t + 1]).isEqualTo(expected.gradient()[t]);
    }
  }

  private static long masked(TokenBatch tokens) {
    long masked = 0;
    for (int t = 0; t < tokens.length(); t++) {
      masked += tokens.isValid(t) ? 0 : 1;
    }
    return masked;
  }
}
