package org.p3ostream.streams.live;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Means over the last ten steps that have a value, as the report's plots draw them. Taken over all
 * steps, before any are left out.
 */
public final class StepMeans {
  private static final int MEAN_OF = 10;

  private StepMeans() {}

  /** Σ rewardMean / n; null where the step has none. */
  public static List<@Nullable Double> reward(List<StepView> steps) {
    return ratios(
        steps,
        step -> step.training() == null ? Double.NaN : step.training().rewardMean(),
        step -> 1);
  }

  /** 1000 Σ validTokens / Σ stepMillis, tokens per second; null where the time is not known. */
  public static List<@Nullable Double> tokensPerSecond(List<StepView> steps) {
    return ratios(
        steps,
        step -> step.training() == null ? Double.NaN : 1000.0 * step.training().validTokens(),
        step -> step.stepMillis() == null ? Double.NaN : step.stepMillis());
  }

  /** 1000 Σ groups / Σ stepMillis, groups per second; null where the time is not known. */
  public static List<@Nullable Double> groupsPerSecond(List<StepView> steps) {
    return ratios(
        steps,
        step -> 1000.0 * step.groups(),
        step -> step.stepMillis() == null ? Double.NaN : step.stepMillis());
  }

  /** Σ amount / Σ weight over the last ten steps that have an amount and a weight above 0. */
  private static List<@Nullable Double> ratios(
      List<StepView> steps, ToDoubleFunction<StepView> amount, ToDoubleFunction<StepView> weight) {
    double[] amounts = new double[MEAN_OF]; // the last ten, in a ring
    double[] weights = new double[MEAN_OF];
    int seen = 0;
    List<@Nullable Double> means = new ArrayList<>(steps.size());
    for (StepView step : steps) {
      double a = amount.applyAsDouble(step);
      double w = weight.applyAsDouble(step);
      if (!Double.isFinite(a) || !(w > 0)) {
        means.add(null);
        continue;
      }
      amounts[seen % MEAN_OF] = a;
      weights[seen % MEAN_OF] = w;
      seen++;
      means.add(sum(amounts, seen) / sum(weights, seen));
    }
    return means;
  }

  private static double sum(double[] ring, int seen) {
    double sum = 0;
    for (int i = 0; i < Math.min(seen, ring.length); i++) {
      sum += ring[i];
    }
    return sum;
  }
}
