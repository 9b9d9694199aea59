package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import org.jspecify.annotations.Nullable;

/** {@link PolicyOutputs} as plain float64 arrays, without graphs, [N] each. */
public final class TokenFigures {
  public final double[] logprobs; // [N], nats
  public final double @Nullable [] exactKl; // [N], nats
  public final double @Nullable [] entropy; // [N], nats
  public final double @Nullable [] referenceLogprobs; // [N], nats
  public final BehaviorFigures behavior;

  /** Takes over the arrays. */
  public TokenFigures(
      double[] logprobs,
      double @Nullable [] exactKl,
      double @Nullable [] entropy,
      double @Nullable [] referenceLogprobs,
      BehaviorFigures behavior) {
    this.logprobs = logprobs;
    this.exactKl = exactKl;
    this.entropy = entropy;
    this.referenceLogprobs = referenceLogprobs;
    this.behavior = behavior;
  }

  /** Copies outputs out of the engine; they stay open. */
  public static TokenFigures of(PolicyOutputs outputs) {
    return new TokenFigures(
        values(outputs.logprobs()),
        orNull(outputs.exactKl()),
        orNull(outputs.entropy()),
        orNull(outputs.referenceLogprobs()),
        outputs.behavior());
  }

  private static double @Nullable [] orNull(@Nullable NDArray array) {
    return array == null ? null : values(array);
  }

  private static double[] values(NDArray array) {
    if (array.getDataType() == DataType.FLOAT64) {
      return array.toDoubleArray();
    }
    float[] floats = array.toFloatArray();
    double[] values = new double[floats.length];
    for (int n = 0; n < values.length; n++) {
      values[n] = floats[n];
    }
    return values;
  }
}
