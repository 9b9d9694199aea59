package org.p3ostream.learner.pretrain;

/**
 * A supervised warm start.
 *
 * @param steps optimizer steps
 * @param batchSize examples per step
 * @param learningRate peak learning rate, constant after the warm-up
 * @param warmupSteps steps of linear warm-up
 * @param labelNoise probability that a digit of an answer is replaced by a random digit
 * @param seed seed of initial weights, order and noise
 */
public record PretrainConfig(
    int steps, int batchSize, double learningRate, int warmupSteps, double labelNoise, long seed) {
  public PretrainConfig {
    require(steps >= 1, "steps", steps, "must be >= 1");
    require(batchSize >= 1, "batch", batchSize, "must be >= 1");
    require(learningRate > 0, "learning-rate", learningRate, "must be > 0");
    require(
        warmupSteps >= 0 && warmupSteps < steps,
        "warmup",
        warmupSteps,
        "must be in [0, steps = " + steps + ")");
    require(labelNoise >= 0 && labelNoise <= 1, "label-noise", labelNoise, "must be in [0, 1]");
  }

  public static PretrainConfig defaults() {
    return new PretrainConfig(400, 64, 2e-3, 50, 0.08, 7);
  }

  private static void require(boolean holds, String key, double value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("pretrain." + key + ": " + value + " " + rule);
    }
  }
}
