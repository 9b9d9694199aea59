package org.p3ostream.deploy.experiment.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {

  @Test
  void meanStdDividesByOneLess() {
    MeanStd of = MeanStd.of(new double[] {1, 2, 6});
    assertThat(of.n()).isEqualTo(3);
    assertThat(of.mean()).isEqualTo(3);
    assertThat(of.std()).isCloseTo(Math.sqrt((4 + 1 + 9) / 2.0), within(1e-12));
    assertThat(MeanStd.of(new double[] {5}).std()).isNull();
    assertThat(MeanStd.of(new double[0]).mean()).isNaN();
  }

  /** d = 0.1, 0.2, 0.3; t(0.975; 2) = 4.302653 out of a table. */
  @Test
  void pairedDifferenceHasTheIntervalOfStudentsT() {
    PairedDifference difference =
        PairedDifference.of(new double[] {0.5, 0.7, 0.9}, new double[] {0.4, 0.5, 0.6});
    double half = 4.302653 * 0.1 / Math.sqrt(3);
    assertThat(difference.mean()).isCloseTo(0.2, within(1e-12));
    assertThat(difference.low()).isCloseTo(0.2 - half, within(1e-6));
    assertThat(difference.high()).isCloseTo(0.2 + half, within(1e-6));
    assertThat(difference.excludesZero()).isFalse();
    assertThat(difference.inPooledStd())
        .isCloseTo(0.2 / Math.sqrt((0.04 + 0.01) / 2), within(1e-12));
  }

  @Test
  void pairedDifferenceOfEqualDifferencesHasNoInterval() {
    PairedDifference difference =
        PairedDifference.of(new double[] {0.25, 0.5}, new double[] {0.5, 0.75});
    assertThat(difference.mean()).isEqualTo(-0.25);
    assertThat(difference.low()).isNull();
    assertThat(difference.high()).isNull();
    assertThat(difference.excludesZero()).isFalse();
    assertThat(difference.inPooledStd()).isCloseTo(-0.25 / Math.sqrt(0.03125), within(1e-12));
  }

  /** 0.3 − 0.2 and 0.8 − 0.7 differ in their last bits. */
  @Test
  void pairedDifferenceTakesWhatIsEqualButForRoundingAsEqual() {
    PairedDifference difference =
        PairedDifference.of(new double[] {0.3, 0.8}, new double[] {0.2, 0.7});
    assertThat(difference.mean()).isCloseTo(0.1, within(1e-12));
    assertThat(difference.low()).isNull();
    assertThat(difference.high()).isNull();
    assertThat(difference.excludesZero()).isFalse();
    PairedDifference large =
        PairedDifference.of(new double[] {1e6 + 0.1, 2e6 + 0.1}, new double[] {1e6, 2e6});
    assertThat(large.low()).isNull();
    assertThat(PairedDifference.of(new double[] {0.3, 0.8 + 1e-9}, new double[] {0.2, 0.7}).low())
        .isNotNull();
  }

  @Test
  void pairedDifferenceSaysNothingOfOnePair() {
    PairedDifference difference = PairedDifference.of(new double[] {1}, new double[] {0.5});
    assertThat(difference.mean()).isEqualTo(0.5);
    assertThat(difference.low()).isNull();
    assertThat(difference.excludesZero()).isFalse();
    assertThat(PairedDifference.of(new double[0], new double[0]).n()).isZero();
  }

  /** Ranks 1 2.5 2.5 4 against 4 3 2 1: Pearson of the ranks is -4.5 / sqrt(4.5 · 5). */
  @Test
  void rankCorrelationGivesEqualValuesTheMeanOfTheirRanks() {
    assertThat(RankCorrelation.of(new double[] {0, 1, 1, 5}, new double[] {1, 0.9, 0.8, 0.1}))
        .isCloseTo(-4.5 / Math.sqrt(4.5 * 5), within(1e-12));
    assertThat(RankCorrelation.of(new double[] {0, 1, 2}, new double[] {9, 4, 1})).isEqualTo(-1);
  }

  @Test
  void rankCorrelationOfOneValueIsNotDefined() {
    assertThat(RankCorrelation.of(new double[] {1, 1}, new double[] {1, 2})).isNull();
    assertThat(RankCorrelation.of(new double[] {1}, new double[] {1})).isNull();
    assertThat(RankCorrelation.of(new double[0], new double[0])).isNull();
  }
}
