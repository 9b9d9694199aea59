package org.p3ostream.deploy.experiment.plan;

/**
 * How weights are evaluated: on prompts that were never trained on, sampled at temperature 1. One
 * evaluation is noisy, so that a run is given the mean over its last ones.
 *
 * @param prompts how many prompts, ≥ 1
 * @param evaluations how many versions are evaluated, the newest among them, ≥ 1
 * @param everySteps steps between two of them, ≥ 1
 */
public record HeldOut(int prompts, int evaluations, int everySteps) {
  public HeldOut {
    require(prompts >= 1, "prompts", prompts);
    require(evaluations >= 1, "evaluations", evaluations);
    require(everySteps >= 1, "everySteps", everySteps);
  }

  public static HeldOut defaults() {
    return new HeldOut(256, 3, 10);
  }

  private static void require(boolean holds, String key, int value) {
    if (!holds) {
      throw new IllegalArgumentException("heldOut." + key + ": " + value + " must be >= 1");
    }
  }
}
