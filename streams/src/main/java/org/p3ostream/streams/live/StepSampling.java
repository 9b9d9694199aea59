package org.p3ostream.streams.live;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Which steps of a long run are drawn: as they were, and so that no spike is lost. The steps are
 * cut into stretches of equal length; of each are taken its first step and those with the highest
 * and the lowest value of what one looks for in a plot. The newest steps are taken all, so that
 * means over the last few go on from them.
 */
public final class StepSampling {
  /** Newest steps that are always taken. */
  public static final int NEWEST = 10;

  private static final List<StepColumn> HIGHEST =
      List.of(
          StepColumn.REWARD_MEAN,
          StepColumn.RATIO_MAX,
          StepColumn.KL_PROXY,
          StepColumn.KL_EXACT,
          StepColumn.GRAD_NORM,
          StepColumn.STALENESS_MAX,
          StepColumn.STEP_MILLIS);

  private static final List<StepColumn> LOWEST =
      List.of(StepColumn.REWARD_MEAN, StepColumn.NORMALIZED_ESS);

  private static final int PER_STRETCH = 1 + HIGHEST.size() + LOWEST.size();

  /** Fewest steps that can be asked for: one stretch and the newest. */
  public static final int FEWEST = PER_STRETCH + NEWEST;

  private StepSampling() {}

  /**
   * At most {@code most} of {@code steps}, ascending, the first and the last among them; all if
   * they are no more than that.
   *
   * @param most ≥ {@link #FEWEST}
   */
  public static List<StepView> choose(List<StepView> steps, int most) {
    if (most < FEWEST) {
      throw new IllegalArgumentException("most: " + most + " must be >= " + FEWEST);
    }
    if (steps.size() <= most) {
      return steps;
    }
    int sampled = steps.size() - NEWEST;
    int stretches = (most - NEWEST) / PER_STRETCH;
    BitSet chosen = new BitSet(steps.size());
    chosen.set(sampled, steps.size());
    for (int i = 0; i < stretches; i++) {
      int from = (int) ((long) sampled * i / stretches);
      int to = (int) ((long) sampled * (i + 1) / stretches);
      extremes(steps, from, to).forEach(chosen::set);
    }
    return chosen.stream().mapToObj(steps::get).toList();
  }

  private static List<Integer> extremes(List<StepView> steps, int from, int to) {
    List<Integer> indices = new ArrayList<>(List.of(from));
    HIGHEST.forEach(column -> indices.add(extreme(steps, from, to, column, 1)));
    LOWEST.forEach(column -> indices.add(extreme(steps, from, to, column, -1)));
    return indices;
  }

  private static int extreme(List<StepView> steps, int from, int to, StepColumn column, int sign) {
    int best = from;
    double bestValue = Double.NEGATIVE_INFINITY;
    for (int i = from; i < to; i++) {
      Number value = column.of(steps.get(i));
      if (value != null && sign * value.doubleValue() > bestValue) {
        best = i;
        bestValue = sign * value.doubleValue();
      }
    }
    return best;
  }
}
