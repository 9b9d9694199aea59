package org.p3ostream.learner.optimizer;

/**
 * Weights and moments as plain arrays, [P] each. The arrays belong to the holder of this object.
 */
public final class OptimizerState {
  private final float[] weights;
  private final float[] firstMoment;
  private final float[] secondMoment;
  private final long updates;

  public OptimizerState(float[] weights, float[] firstMoment, float[] secondMoment, long updates) {
    if (firstMoment.length != weights.length || secondMoment.length != weights.length) {
      throw new IllegalArgumentException(
          "weights %d, first moment %d, second moment %d elements"
              .formatted(weights.length, firstMoment.length, secondMoment.length));
    }
    this.weights = weights;
    this.firstMoment = firstMoment;
    this.secondMoment = secondMoment;
    this.updates = updates;
  }

  /** No update made yet. */
  public static OptimizerState initial(float[] weights) {
    return new OptimizerState(weights, new float[weights.length], new float[weights.length], 0);
  }

  public float[] weights() {
    return weights;
  }

  public float[] firstMoment() {
    return firstMoment;
  }

  public float[] secondMoment() {
    return secondMoment;
  }

  /** Updates made so far. */
  public long updates() {
    return updates;
  }
}
