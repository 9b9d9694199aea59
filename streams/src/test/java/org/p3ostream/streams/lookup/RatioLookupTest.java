package org.p3ostream.streams.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

class RatioLookupTest {
  private final List<Long> computed = new ArrayList<>();
  private final RatioLookup lookup =
      new RatioLookup(
          step -> {
            computed.add(step);
            return Map.of(
                10 * step,
                List.of(new double[] {1.5, Double.NaN}, new double[] {Double.POSITIVE_INFINITY}));
          });

  @Test
  void whatIsNoFigureIsNull() {
    GroupRatios ratios = lookup.fetch(group(1, 10));

    assertThat(ratios)
        .isEqualTo(
            new GroupRatios(
                10, 1, 1, List.of(Arrays.asList(1.5, null), Arrays.asList((Double) null))));
  }

  @Test
  void stepsAskedForLastAreNotComputedAgain() {
    for (long step : new long[] {1, 2, 3, 4, 1, 5, 1, 2}) {
      lookup.fetch(group(step, 10 * step));
    }

    assertThat(computed).containsExactly(1L, 2L, 3L, 4L, 5L, 2L);
  }

  @Test
  void aGroupThatTheStepDoesNotHaveIsSaid() {
    assertThatThrownBy(() -> lookup.fetch(group(1, 11)))
        .isInstanceOf(NoRatiosException.class)
        .hasMessage("step 1 has none of group 11");
  }

  private static TrainedGroup group(long step, long id) {
    return new TrainedGroup(id, 0, step, step, step, 0, 0);
  }
}
