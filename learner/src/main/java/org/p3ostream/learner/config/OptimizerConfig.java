package org.p3ostream.learner.config;

/**
 * AdamW with linear warm-up and cosine decay.
 *
 * @param learningRate peak learning rate
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay decoupled weight decay
 * @param clipNorm global gradient norm above which the gradient is scaled down
 * @param warmupFraction part of the schedule spent warming up, [0, 1)
 * @param finalFraction learning rate at the end of the schedule relative to the peak, [0, 1]
 * @param scheduleSteps length of the schedule in steps; fixed when the run begins
 */
public record OptimizerConfig(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    double clipNorm,
    double warmupFraction,
    double finalFraction,
    long scheduleSteps) {
  public OptimizerConfig {
    require(learningRate > 0, "learningRate", learningRate, "must be > 0");
    require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "must be in [0, 1)");
    require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "must be in [0, 1)");
    require(epsilon > 0, "epsilon", epsilon, "must be > 0");
    require(weightDecay >= 0, "weightDecay", weightDecay, "must be >= 0");
    require(clipNorm > 0, "clipNorm", clipNorm, "must be > 0");
    require(
        warmupFraction >= 0 && warmupFraction < 1,
        "warmupFraction",
        warmupFraction,
        "must be in [0, 1)");
    require(
        finalFraction >= 0 && finalFraction <= 1,
        "finalFraction",
        finalFraction,
        "must be in [0, 1]");
    require(scheduleSteps >= 1, "scheduleSteps", (double) scheduleSteps, "must be >= 1");
  }

  public static OptimizerConfig defaults() {
    return new OptimizerConfig(1e-3, 0.9, 0.95, 1e-8, 0.01, 1.0, 0.1, 0.1, 150);
  }

  private static void require(boolean holds, String key, double value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("optimizer." + key + ": " + value + " " + rule);
    }
  }
}
