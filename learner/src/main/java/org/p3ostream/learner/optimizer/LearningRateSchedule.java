package org.p3ostream.learner.optimizer;

import org.p3ostream.learner.config.OptimizerConfig;

/**
 * Linear warm-up followed by cosine decay, as a function of the number of updates made before.
 *
 * <pre>
 *   W = round(warmupFraction · S),  S = scheduleSteps
 *   lr(u) = peak · (u + 1) / W                                        for u < W
 *   lr(u) = peak · (f + (1 − f) · (1 + cos(π · min(1, (u − W) / (S − W)))) / 2)   otherwise, f = finalFraction
 * </pre>
 */
public record LearningRateSchedule(
    double peak, long scheduleSteps, long warmupSteps, double finalFraction) {

  public static LearningRateSchedule of(OptimizerConfig config) {
    return new LearningRateSchedule(
        config.learningRate(),
        config.scheduleSteps(),
        Math.round(config.warmupFraction() * config.scheduleSteps()),
        config.finalFraction());
  }

  /**
   * Learning rate of the next update.
   *
   * @param updatesBefore u ≥ 0
   */
  public double at(long updatesBefore) {
    if (updatesBefore < warmupSteps) {
      return peak * (updatesBefore + 1) / warmupSteps;
    }
    double progress =
        Math.min(
            1, (double) (updatesBefore - warmupSteps) / Math.max(1, scheduleSteps - warmupSteps));
    double cosine = (1 + StrictMath.cos(Math.PI * progress)) / 2;
    return peak * (finalFraction + (1 - finalFraction) * cosine);
  }
}
