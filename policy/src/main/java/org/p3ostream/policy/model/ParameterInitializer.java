package org.p3ostream.policy.model;

import java.util.Arrays;
import java.util.Random;

/** Random weights to start pre-training from. */
public final class ParameterInitializer {

  private static final double STANDARD_DEVIATION = 0.02;

  private ParameterInitializer() {}

  /**
   * Normal(0, 0.02) matrices, ones for norms; a function of config and seed alone ({@link Random}'s
   * algorithm is part of the Java specification).
   *
   * @return flat weights in layout order, [P]
   */
  public static float[] initialize(ModelConfig config, long seed) {
    ParameterLayout layout = ParameterLayout.of(config);
    float[] weights = new float[layout.size()];
    Random random = new Random(seed);
    for (ParameterLayout.Slice slice : layout.slices()) {
      int start = Math.toIntExact(slice.elementOffset());
      int end = Math.toIntExact(slice.elementOffset() + slice.elementCount());
      if (slice.shape().size() == 1) {
        Arrays.fill(weights, start, end, 1f);
      } else {
        for (int i = start; i < end; i++) {
          weights[i] = (float) (STANDARD_DEVIATION * random.nextGaussian());
        }
      }
    }
    return weights;
  }
}
