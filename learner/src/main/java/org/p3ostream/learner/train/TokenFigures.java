package org.p3ostream.learner.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import org.jspecify.annotations.Nullable;

/** {@link PolicyOutputs} as plain float64 arrays, without graphs, [N] each. */
final class TokenFigures {
  final double[] logprobs; // [N], nats
  final double @Nullable [] exactKl; // [N], nats
  final double @Nullable [] entropy; // [N], nats
  final double @Nullable [] referenceLogprobs; // [N], nats
  final BehaviorFigures behavior;

  TokenFigures(
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

  static TokenFigures of(PolicyOutputs outputs) {
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
