package org.p3ostream.schemas.ratio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RatioStatisticsTest {

  private static final Offset<Double> ROUNDING = within(1e-12);

  /** Of random ratios, for each property. */
  private static final int DRAWS = 1_000;

  private static final double[] EXTREMES = {-500, 500, 0.0, -0.0, Double.MIN_VALUE};

  /** Ratios 1, 2, 4 and 0.5. */
  private static final double[] FOUR = {0, Math.log(2), Math.log(4), Math.log(0.5)};

  @Test
  void ofGivesTheSumsWorkedOutByHand() {
    RatioStatistics statistics = of(FOUR);

    assertThat(statistics.tokenCount()).isEqualTo(4);
    assertThat(Math.exp(statistics.logSumRatio())).isCloseTo(7.5, ROUNDING);
    assertThat(Math.exp(statistics.logSumSquaredRatio())).isCloseTo(21.25, ROUNDING);
    assertThat(statistics.normalizedEss())
        .isCloseTo(7.5 * 7.5 / (4 * (21.25 + 1e-8)), within(1e-15));
    assertThat(statistics.meanRatio()).isCloseTo(1.875, ROUNDING);
    assertThat(statistics.stdRatio()).isCloseTo(Math.sqrt(21.25 / 4 - 1.875 * 1.875), ROUNDING);
  }

  @Test
  void ofIsEmptyWhenNothingIsValid() {
    assertThat(RatioStatistics.of(new double[] {1, Double.NaN}, new boolean[2]))
        .isEqualTo(RatioStatistics.EMPTY);
    assertThat(of()).isEqualTo(RatioStatistics.EMPTY);
  }

  @Test
  void emptyTrustsNothing() {
    assertThat(RatioStatistics.EMPTY.normalizedEss()).isZero();
    assertThat(RatioStatistics.EMPTY.isFinite()).isFalse();
    assertThat(RatioStatistics.EMPTY.meanRatio()).isNaN();
    assertThat(RatioStatistics.EMPTY.stdRatio()).isNaN();
  }

  @Test
  void ofIgnoresWhatIsMaskedOut() {
    double[] logRatios = {0, Double.NaN, Math.log(2), Double.POSITIVE_INFINITY, 700};

    assertThat(RatioStatistics.of(logRatios, new boolean[] {true, false, true, false, false}))
        .isEqualTo(of(0, Math.log(2)));
  }

  @Test
  void normalizedEssIsZeroWhenAValidEntryIsNotFinite() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      for (RatioStatistics statistics :
          new RatioStatistics[] {
            of(0, bad), of(bad, 0), of(0).merge(of(bad)), of(bad).merge(of(0))
          }) {
        assertThat(statistics.isFinite()).as("%s", statistics).isFalse();
        assertThat(statistics.normalizedEss()).as("%s", statistics).isZero();
      }
    }
    assertThat(of(Double.NEGATIVE_INFINITY).normalizedEss()).isZero();
  }

  @Test
  void ofGivesTwoSumsThatAreNotFiniteWhenAnEntryIsNot() {
    assertThat(of(0, Double.POSITIVE_INFINITY).logSumRatio()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(of(0, Double.POSITIVE_INFINITY).logSumSquaredRatio())
        .isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(of(0, Double.NaN).logSumRatio()).isNaN();
    assertThat(of(0, Double.NaN).logSumSquaredRatio()).isNaN();
  }

  @Test
  void normalizedEssIsOneForAnyTokenAlone() {
    assertThat(of(0).normalizedEss()).isCloseTo(1, within(1e-7));
    assertThat(of(500).normalizedEss()).isCloseTo(1, ROUNDING);
  }

  @Test
  void normalizedEssStaysMeaningfulAtFiveHundredNats() {
    assertThat(of(500, 500).normalizedEss()).isCloseTo(1, ROUNDING);
    assertThat(of(500, -500).normalizedEss()).isCloseTo(0.5, ROUNDING);
    assertThat(of(500, -500, -500, 0).normalizedEss()).isCloseTo(0.25, ROUNDING);
    assertThat(of(-500).normalizedEss()).isLessThan(1e-300);
    assertThat(of(-500, -500).isFinite()).isTrue();
  }

  @Test
  void normalizedEssCountsTheEpsilonWhenAllRatiosAreSmall() {
    double logRatio = Math.log(1e-4); // S2 = 2e-8

    assertThat(of(logRatio, logRatio).normalizedEss()).isCloseTo(4e-8 / (2 * 3e-8), ROUNDING);
  }

  @Test
  void meanAndStdRatioDoNotOverflowBeforeTheRatioDoes() {
    RatioStatistics statistics = of(500, 500 + Math.log(3));

    assertThat(statistics.meanRatio() / Math.exp(500)).isCloseTo(2, ROUNDING);
    assertThat(statistics.stdRatio() / Math.exp(500)).isCloseTo(1, ROUNDING);
  }

  @Test
  void stdRatioIsZeroWhenAllRatiosAreEqual() {
    assertThat(of(0.3, 0.3, 0.3).stdRatio()).isCloseTo(0, within(1e-7));
  }

  @Test
  void ofThrowsWhenTheLengthsDiffer() {
    assertThatThrownBy(() -> RatioStatistics.of(new double[3], new boolean[2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3")
        .hasMessageContaining("2");
    assertThatThrownBy(() -> new RatioStatistics(0, 0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void mergeAssociates() {
    forEveryDraw(
        random -> {
          RatioStatistics a = of(logRatios(random));
          RatioStatistics b = of(logRatios(random));
          RatioStatistics c = of(logRatios(random));

          assertSame(a.merge(b).merge(c), a.merge(b.merge(c)));
        });
  }

  @Test
  void mergeCommutes() {
    forEveryDraw(
        random -> {
          RatioStatistics a = of(logRatios(random));
          RatioStatistics b = of(logRatios(random));

          assertSame(a.merge(b), b.merge(a));
        });
  }

  @Test
  void mergeWithEmptyChangesNothing() {
    forEveryDraw(
        random -> {
          RatioStatistics a = of(logRatios(random));

          assertThat(a.merge(RatioStatistics.EMPTY)).isEqualTo(a);
          assertThat(RatioStatistics.EMPTY.merge(a)).isEqualTo(a);
        });
  }

  @Test
  void mergeOfAnySplitIsTheWhole() {
    forEveryDraw(
        random -> {
          double[] all = logRatios(random);
          int at = random.nextInt(all.length + 1);
          RatioStatistics head = of(Arrays.copyOfRange(all, 0, at));
          RatioStatistics tail = of(Arrays.copyOfRange(all, at, all.length));

          assertSame(head.merge(tail), of(all));
          assertThat(head.merge(tail).normalizedEss()).isCloseTo(of(all).normalizedEss(), ROUNDING);
        });
  }

  /** Micro-batches and replicas take the tokens in any order; some parts stay empty. */
  @Test
  void mergeOfAnyPartitionIsTheWhole() {
    forEveryDraw(
        random -> {
          double[] all = logRatios(random);
          int parts = 1 + random.nextInt(9);
          int[] part = random.ints(all.length, 0, parts).toArray();
          RatioStatistics merged = RatioStatistics.EMPTY;
          for (int p = 0; p < parts; p++) {
            boolean[] valid = new boolean[all.length];
            for (int t = 0; t < all.length; t++) {
              valid[t] = part[t] == p;
            }
            merged = merged.merge(RatioStatistics.of(all, valid));
          }

          assertSame(merged, of(all));
          assertThat(merged.normalizedEss()).isCloseTo(of(all).normalizedEss(), ROUNDING);
        });
  }

  /** a ratios of e^500 and b of e^−500, as one and token by token: e = a / (a + b). */
  @Test
  void sumsAreExactAtFiveHundredNats() {
    for (int a = 1; a <= 20; a++) {
      for (int b = 0; b <= 20; b++) {
        sumsAreExactAtFiveHundredNats(a, b);
      }
    }
  }

  private static void sumsAreExactAtFiveHundredNats(int a, int b) {
    double[] logRatios = new double[a + b];
    Arrays.fill(logRatios, 0, a, 500);
    Arrays.fill(logRatios, a, a + b, -500);
    RatioStatistics merged =
        Arrays.stream(logRatios)
            .mapToObj(RatioStatisticsTest::of)
            .reduce(RatioStatistics.EMPTY, RatioStatistics::merge);
    for (RatioStatistics statistics : new RatioStatistics[] {of(logRatios), merged}) {
      assertThat(statistics.logSumRatio()).isCloseTo(500 + Math.log(a), ROUNDING);
      assertThat(statistics.logSumSquaredRatio()).isCloseTo(1000 + Math.log(a), ROUNDING);
      assertThat(statistics.normalizedEss()).isCloseTo((double) a / (a + b), ROUNDING);
    }
    double[] low = Arrays.stream(logRatios).map(l -> -Math.abs(l)).toArray();
    assertThat(of(low).logSumRatio()).isCloseTo(-500 + Math.log(a + b), ROUNDING);
    assertThat(of(low).logSumSquaredRatio()).isCloseTo(-1000 + Math.log(a + b), ROUNDING);
    assertThat(of(low).normalizedEss()).isLessThan(1e-300);
  }

  @Test
  void normalizedEssLiesBetweenZeroAndOne() {
    forEveryDraw(
        random -> {
          assertThat(of(logRatios(random)).normalizedEss()).isBetween(0.0, 1.0);
        });
  }

  @Test
  void normalizedEssStaysWhenAllRatiosAreScaled() {
    forEveryDraw(
        random -> {
          double[] logRatios = moderateLogRatios(random);
          double shift = random.nextDouble(0, 400);
          double[] scaled = Arrays.stream(logRatios).map(l -> l + shift).toArray();

          // The epsilon in the denominator moves the value by at most 1e-8 / S2.
          double tolerance = 1e-8 * Math.exp(-of(logRatios).logSumSquaredRatio()) + 1e-11;
          assertThat(of(scaled).normalizedEss())
              .isCloseTo(of(logRatios).normalizedEss(), within(tolerance));
        });
  }

  @Test
  void ofEqualsThePlainSumsWhereThoseAreExact() {
    forEveryDraw(
        random -> {
          double[] logRatios = moderateLogRatios(random);
          double sum = Arrays.stream(logRatios).map(Math::exp).sum();
          double squared = Arrays.stream(logRatios).map(l -> Math.exp(2 * l)).sum();

          assertThat(of(logRatios).logSumRatio()).isCloseTo(Math.log(sum), ROUNDING);
          assertThat(of(logRatios).logSumSquaredRatio()).isCloseTo(Math.log(squared), ROUNDING);
          assertThat(of(logRatios).normalizedEss())
              .isCloseTo(sum * sum / (logRatios.length * (squared + 1e-8)), ROUNDING);
        });
  }

  private static void forEveryDraw(Consumer<SplittableRandom> property) {
    for (long seed = 1; seed <= DRAWS; seed++) {
      try {
        property.accept(new SplittableRandom(seed));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  /** Up to 40, every fifth time with the extremes among them. */
  private static double[] logRatios(SplittableRandom random) {
    double[] drawn = random.doubles(random.nextInt(41), -500, 500).toArray();
    if (drawn.length > 0 && random.nextInt(5) == 0) {
      drawn[random.nextInt(drawn.length)] = EXTREMES[random.nextInt(EXTREMES.length)];
    }
    return drawn;
  }

  private static double[] moderateLogRatios(SplittableRandom random) {
    return random.doubles(1 + random.nextInt(40), -4, 4).toArray();
  }

  private static RatioStatistics of(double... logRatios) {
    boolean[] valid = new boolean[logRatios.length];
    Arrays.fill(valid, true);
    return RatioStatistics.of(logRatios, valid);
  }

  private static void assertSame(RatioStatistics actual, RatioStatistics expected) {
    assertThat(actual.tokenCount()).isEqualTo(expected.tokenCount());
    if (expected.tokenCount() == 0) {
      assertThat(actual).isEqualTo(expected);
      return;
    }
    assertThat(actual.logSumRatio()).isCloseTo(expected.logSumRatio(), ROUNDING);
    assertThat(actual.logSumSquaredRatio()).isCloseTo(expected.logSumSquaredRatio(), ROUNDING);
  }
}
