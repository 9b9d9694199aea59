package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlotRowsTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, PlotRows.MOST})
  void chooseTakesAllStepsOfARunThatFits(int steps) {
    assertThat(PlotRows.choose(Series.ofSteps(steps).rows()))
        .isEqualTo(IntStream.range(0, steps).toArray());
  }

  @ParameterizedTest
  @ValueSource(ints = {PlotRows.MOST + 1, 10_000, 123_457})
  void chooseTakesFirstAndLastAndNoMoreThanFit(int steps) {
    int[] chosen = PlotRows.choose(Series.ofSteps(steps).rows());

    assertThat(chosen).hasSizeBetween(PlotRows.MOST / 10, PlotRows.MOST).isSorted();
    assertThat(chosen[0]).isZero();
    assertThat(chosen[chosen.length - 1]).isEqualTo(steps - 1);
  }

  @Test
  void chooseLosesNoSpike() {
    StepSeries series =
        Series.ofSteps(
            10_000,
            (step, metrics) -> {
              switch (step) {
                case 1_234 -> metrics.setNormalizedEss(0.01);
                case 4_321 -> metrics.setRatioMax(900.0);
                case 5_678 -> metrics.setBehaviorKlProxyMean(7.0);
                case 6_789 -> metrics.setBehaviorKlExactMean(7.0);
                case 8_765 -> metrics.setGradNorm(1e5);
                case 9_876 -> metrics.setRewardMean(-3.0);
                default -> {}
              }
            });

    assertThat(PlotRows.choose(series.rows())).contains(1_234, 4_321, 5_678, 6_789, 8_765, 9_876);
  }

  @Test
  void chooseTakesNoValueThatIsNotFiniteForAnExtreme() {
    StepSeries series =
        Series.ofSteps(10_000, (step, metrics) -> metrics.setGradNorm(step == 77 ? Double.NaN : 1));

    assertThat(PlotRows.choose(series.rows())).isNotEmpty();
  }
}
