package org.p3ostream.learner.config;

/**
 * What the two sides of the importance ratio are.
 *
 * @param policyTemperature MODEL takes π_θ at temperature 1, so that a sampling temperature other
 *     than 1 is a measured mismatch; SAMPLING takes π_θ at the sampling temperature too
 * @param behaviorLogprob which log-probs are accepted: SAMPLING takes those of the distribution
 *     that was sampled from, RAW those of the model at temperature 1 without filters, as some other
 *     systems store them; never both, since a window of two kinds has an ESS of neither
 * @param truncatedSampling what becomes of groups sampled with top-k, top-p or min-p: SAME_KEPT_SET
 *     takes π_θ over the tokens that the sampler had kept; REJECT refuses them by contract
 */
public record RatioConfig(
    PolicyTemperature policyTemperature,
    BehaviorLogprob behaviorLogprob,
    TruncatedSampling truncatedSampling) {

  /** Temperature of π_θ in the ratio. */
  public enum PolicyTemperature {
    MODEL,
    SAMPLING
  }

  /** Distribution that the recorded log-probs belong to. */
  public enum BehaviorLogprob {
    SAMPLING,
    RAW
  }

  /** What becomes of groups of truncated sampling. */
  public enum TruncatedSampling {
    SAME_KEPT_SET,
    REJECT
  }

  public static RatioConfig defaults() {
    return new RatioConfig(
        PolicyTemperature.MODEL, BehaviorLogprob.SAMPLING, TruncatedSampling.SAME_KEPT_SET);
  }
}
