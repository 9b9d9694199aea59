package org.p3ostream.streams.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyFiguresTest {

  @Test
  void percentilesAreWithinTwoAndAHalfPercentOfTheNearestRank() {
    long seed = 7;
    Random random = new Random(seed);
    long[] millis = random.doubles(999, 0, 14).mapToLong(x -> (long) Math.exp(x)).toArray();
    LatencyFigures figures = LatencyFigures.NONE;
    for (long duration : millis) {
      figures = figures.plus(LatencyFigures.of(duration));
    }
    Arrays.sort(millis);
    for (int percent : new int[] {1, 50, 95, 99, 100}) {
      double exact = millis[(percent * millis.length + 99) / 100 - 1] / 1000.0;
      assertThat(figures.percentile(percent))
          .as("p%d, seed %d", percent, seed)
          .isCloseTo(exact, within(0.0251 * exact + 0.001));
    }
    assertThat(figures.count()).isEqualTo(millis.length);
    assertThat(figures.maxSeconds()).isEqualTo(millis[millis.length - 1] / 1000.0);
    assertThat(figures.mean())
        .isCloseTo(Arrays.stream(millis).average().orElseThrow() / 1000, within(1e-6));
  }

  @Test
  void aDurationBelowZeroCountsAsNone() {
    LatencyFigures figures = LatencyFigures.of(-5_000);

    assertThat(figures.mean()).isZero();
    assertThat(figures.percentile(50)).isZero();
  }

  @Test
  void percentileIsNanOfNothing() {
    assertThat(LatencyFigures.NONE.percentile(50)).isNaN();
    assertThat(LatencyFigures.NONE.mean()).isNaN();
  }
}
