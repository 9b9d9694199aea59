package org.p3ostream.policy.sampling;

/**
 * How to sample. Applied in this order: temperature, top-k, renormalisation, top-p,
 * renormalisation.
 *
 * @param temperature divides the logits, > 0
 * @param topK keep the k most probable tokens; 0 keeps all
 * @param topP keep the smallest set whose probability reaches p, (0, 1]; 1 keeps all
 * @param maxResponseTokens upper bound of the response length, end-of-sequence included, ≥ 1
 */
public record SamplingParameters(double temperature, int topK, double topP, int maxResponseTokens) {

  public SamplingParameters {
    if (!(temperature > 0 && Double.isFinite(temperature))) {
      throw new IllegalArgumentException("temperature: " + temperature + " must be finite and > 0");
    }
    if (topK < 0) {
      throw new IllegalArgumentException("topK: " + topK + " must be >= 0 (0 keeps all tokens)");
    }
    if (!(topP > 0 && topP <= 1)) {
      throw new IllegalArgumentException(
          "topP: " + topP + " must be in (0, 1] (1 keeps all tokens)");
    }
    if (maxResponseTokens < 1) {
      throw new IllegalArgumentException(
          "maxResponseTokens: " + maxResponseTokens + " must be >= 1");
    }
  }
}
