package org.p3ostream.streams.live;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Means over the last ten steps that have a value, as the report's plots draw them. Taken over all
 * steps, before any are left out.
 */
public final class StepMeans {
  private static final int MEAN_OF = 10;

  private record Amount(double value, double weight) {}

  private StepMeans() {}

  /** Σ rewardMean / n; null where the step has none. */
  public static List<@Nullable Double> reward(List<StepView> steps) {
    return ratios(
        steps.stream()
            .map(
                step ->
                    step.training() == null ? null : new Amount(step.training().rewardMean(), 1))
            .toList());
  }

  /** 1000 Σ validTokens / Σ stepMillis, tokens per second; null where the time is not known. */
  public static List<@Nullable Double> tokensPerSecond(List<StepView> steps) {
    return ratios(
        steps.stream()
            .map(
                step -> {
                  Long millis = step.stepMillis();
                  return step.training() == null || millis == null || millis <= 0
                      ? null
                      : new Amount(1000.0 * step.training().validTokens(), millis);
                })
            .toList());
  }

  private static List<@Nullable Double> ratios(List<@Nullable Amount> amounts) {
    Deque<Amount> last = new ArrayDeque<>();
    return amounts.stream()
        .map(
            amount -> {
              if (amount == null) {
                return null;
              }
              last.addLast(amount);
              if (last.size() > MEAN_OF) {
                last.removeFirst();
              }
              return last.stream().mapToDouble(Amount::value).sum()
                  / last.stream().mapToDouble(Amount::weight).sum();
            })
        .toList();
  }
}
