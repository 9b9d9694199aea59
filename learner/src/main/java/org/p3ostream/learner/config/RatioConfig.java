package org.p3ostream.learner.config;

/**
 * What the two sides of the importance ratio are.
 *
 * @param policyTemperature MODEL takes π_θ at temperature 1, so that a sampling temperature other
 *     than 1 is a measured mismatch; SAMPLING takes π_θ at the sampling temperature too
 */
public record RatioConfig(PolicyTemperature policyTemperature) {

  /** Temperature of π_θ in the ratio. */
  public enum PolicyTemperature {
    MODEL,
    SAMPLING
  }

  public static RatioConfig defaults() {
    return new RatioConfig(PolicyTemperature.MODEL);
  }
}
