package org.p3ostream.policy.sampling;

/**
 * How to sample. Applied in this order: temperature, min-p, top-k, renormalisation, top-p,
 * renormalisation. This is the order of vLLM, with which most rollouts elsewhere are sampled, so
 * that the same figures mean the same distribution. Hugging Face's {@code generate} applies min-p
 * last. The two differ only when min-p and top-p are both on: the largest probability is never
 * filtered out, so min-p keeps the same tokens wherever it stands, but top-p counts its mass among
 * the tokens kept before it.
 *
 * @param temperature divides the logits, > 0
 * @param topK keep the k most probable tokens; 0 keeps all
 * @param topP keep the smallest set whose probability reaches p, (0, 1]; 1 keeps all
 * @param minP keep the tokens whose probability is at least minP times the largest, [0, 1); 0 keeps
 *     all (Nguyen et al. 2024, arXiv:2407.01082)
 * @param maxResponseTokens upper bound of the response length, end-of-sequence included, ≥ 1
 */
public record SamplingParameters(
    double temperature, int topK, double topP, double minP, int maxResponseTokens) {

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
    if (!(minP >= 0 && minP < 1)) {
      throw new IllegalArgumentException(
          "minP: " + minP + " must be in [0, 1) (0 keeps all tokens)");
    }
    if (maxResponseTokens < 1) {
      throw new IllegalArgumentException(
          "maxResponseTokens: " + maxResponseTokens + " must be >= 1");
    }
  }

  /** The same at another temperature. */
  public SamplingParameters withTemperature(double other) {
    return new SamplingParameters(other, topK, topP, minP, maxResponseTokens);
  }
}
