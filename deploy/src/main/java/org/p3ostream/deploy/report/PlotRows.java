package org.p3ostream.deploy.report;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which steps a page draws. Up to {@link #MOST} all of them; of a longer run, cut into equal
 * stretches, the first step of each and those that are extreme in what one looks for in a plot. So
 * every point is a step as it was, and no spike is lost.
 */
final class PlotRows {

  /** Most steps on a page. */
  static final int MOST = 2_000;

  private static final List<StepColumn> HIGHEST =
      List.of(
          StepColumn.REWARD_MEAN,
          StepColumn.RATIO_MAX,
          StepColumn.KL_MEAN,
          StepColumn.KL_EXACT_MEAN,
          StepColumn.GRAD_NORM,
          StepColumn.STEP_MILLIS);

  private static final List<StepColumn> LOWEST =
      List.of(StepColumn.REWARD_MEAN, StepColumn.NORMALIZED_ESS);

  private static final int PER_STRETCH = 1 + HIGHEST.size() + LOWEST.size();

  private PlotRows() {}

  /** Ascending indices into {@code rows}, the first and the last among them. */
  static int[] choose(List<StepRow> rows) {
    BitSet chosen = new BitSet(rows.size());
    if (rows.size() <= MOST) {
      chosen.set(0, rows.size());
    } else {
      int stretches = (MOST - 1) / PER_STRETCH;
      for (int i = 0; i < stretches; i++) {
        int from = (int) ((long) rows.size() * i / stretches);
        int to = (int) ((long) rows.size() * (i + 1) / stretches);
        extremes(rows, from, to).forEach(chosen::set);
      }
      chosen.set(rows.size() - 1);
    }
    return chosen.stream().toArray();
  }

  private static List<Integer> extremes(List<StepRow> rows, int from, int to) {
    List<Integer> indices = new ArrayList<>(List.of(from));
    HIGHEST.forEach(column -> indices.add(highest(rows, from, to, column, 1)));
    LOWEST.forEach(column -> indices.add(highest(rows, from, to, column, -1)));
    return indices;
  }

  private static int highest(List<StepRow> rows, int from, int to, StepColumn column, int sign) {
    int best = from;
    double bestValue = Double.NEGATIVE_INFINITY;
    for (int i = from; i < to; i++) {
      @Nullable Double value = column.finite(rows.get(i));
      if (value != null && sign * value > bestValue) {
        best = i;
        bestValue = sign * value;
      }
    }
    return best;
  }
}
