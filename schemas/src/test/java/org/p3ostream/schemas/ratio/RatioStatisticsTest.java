package org.p3ostream.schemas.ratio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RatioStatisticsTest {

  private static final Offset<Double> ROUNDING = within(1e-12);

  private static final String SEED = "20260512";

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

  @Property(seed = SEED)
  void mergeAssociates(
      @ForAll("logRatios") double[] a,
      @ForAll("logRatios") double[] b,
      @ForAll("logRatios") double[] c) {
    assertSame(of(a).merge(of(b)).merge(of(c)), of(a).merge(of(b).merge(of(c))));
  }

  @Property(seed = SEED)
  void mergeCommutes(@ForAll("logRatios") double[] a, @ForAll("logRatios") double[] b) {
    assertSame(of(a).merge(of(b)), of(b).merge(of(a)));
  }

  @Property(seed = SEED)
  void mergeWithEmptyChangesNothing(@ForAll("logRatios") double[] a) {
    assertThat(of(a).merge(RatioStatistics.EMPTY)).isEqualTo(of(a));
    assertThat(RatioStatistics.EMPTY.merge(of(a))).isEqualTo(of(a));
  }

  @Property(seed = SEED)
  void mergeOfAnySplitIsTheWhole(
      @ForAll("logRatios") double[] all, @ForAll @IntRange(max = 40) int cut) {
    int at = Math.min(cut, all.length);
    double[] head = Arrays.copyOfRange(all, 0, at);
    double[] tail = Arrays.copyOfRange(all, at, all.length);

    assertSame(of(head).merge(of(tail)), of(all));
    assertThat(of(head).merge(of(tail)).normalizedEss())
        .isCloseTo(of(all).normalizedEss(), ROUNDING);
  }

  /** Micro-batches and replicas take the tokens in any order; some parts stay empty. */
  @Property(seed = SEED)
  void mergeOfAnyPartitionIsTheWhole(
      @ForAll("logRatios") double[] all,
      @ForAll @IntRange(min = 1, max = 9) int parts,
      @ForAll long shuffle) {
    SplittableRandom random = new SplittableRandom(shuffle);
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
  }

  /** a ratios of e^500 and b of e^−500, as one and token by token: e = a / (a + b). */
  @Property(seed = SEED)
  void sumsAreExactAtFiveHundredNats(
      @ForAll @IntRange(min = 1, max = 20) int a, @ForAll @IntRange(max = 20) int b) {
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

  @Property(seed = SEED)
  void normalizedEssLiesBetweenZeroAndOne(@ForAll("logRatios") double[] logRatios) {
    assertThat(of(logRatios).normalizedEss()).isBetween(0.0, 1.0);
  }

  @Property(seed = SEED)
  void normalizedEssStaysWhenAllRatiosAreScaled(
      @ForAll("moderateLogRatios") double[] logRatios,
      @ForAll @DoubleRange(min = 0, max = 400) double shift) {
    double[] scaled = Arrays.stream(logRatios).map(l -> l + shift).toArray();

    // The epsilon in the denominator moves the value by at most 1e-8 / S2.
    double tolerance = 1e-8 * Math.exp(-of(logRatios).logSumSquaredRatio()) + 1e-11;
    assertThat(of(scaled).normalizedEss())
        .isCloseTo(of(logRatios).normalizedEss(), within(tolerance));
  }

  @Property(seed = SEED)
  void ofEqualsThePlainSumsWhereThoseAreExact(@ForAll("moderateLogRatios") double[] logRatios) {
    double sum = Arrays.stream(logRatios).map(Math::exp).sum();
    double squared = Arrays.stream(logRatios).map(l -> Math.exp(2 * l)).sum();

    assertThat(of(logRatios).logSumRatio()).isCloseTo(Math.log(sum), ROUNDING);
    assertThat(of(logRatios).logSumSquaredRatio()).isCloseTo(Math.log(squared), ROUNDING);
    assertThat(of(logRatios).normalizedEss())
        .isCloseTo(sum * sum / (logRatios.length * (squared + 1e-8)), ROUNDING);
  }

  @Provide
  Arbitrary<double[]> logRatios() {
    return Arbitraries.doubles().between(-500, 500).array(double[].class).ofMaxSize(40);
  }

  @Provide
  Arbitrary<double[]> moderateLogRatios() {
    return Arbitraries.doubles().between(-4, 4).array(double[].class).ofMinSize(1).ofMaxSize(40);
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
