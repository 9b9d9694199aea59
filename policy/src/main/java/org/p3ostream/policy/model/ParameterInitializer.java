package org.p3ostream.policy.model;

/** Random weights to start pre-training from. */
public final class ParameterInitializer {

  private ParameterInitializer() {}

  /**
   * Normal(0, 0.02) matrices, ones for norms; a function of config and seed alone.
   *
   * @return flat weights in layout order, [P]
   */
  public static float[] initialize(ModelConfig config, long seed) {
    throw new UnsupportedOperationException("not built yet" + config + seed);
  }
}
