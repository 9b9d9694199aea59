package org.p3ostream.learner.window;

import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.precision.WeightPrecision;

/**
 * How a response was sampled, as far as its behaviour distribution depends on it.
 *
 * @param temperature divides the logits, > 0
 * @param topK most probable tokens kept; 0 keeps all
 * @param topP probability that the kept tokens reach, (0, 1]; 1 keeps all
 * @param minP fraction of the largest probability that a kept token has, [0, 1); 0 keeps all
 * @param weightPrecision what the weights were rounded to; null for anything that cannot be done
 *     again, which {@link SamplingRules} lets pass only where nothing is computed again
 */
public record BehaviorSampling(
    double temperature,
    int topK,
    double topP,
    double minP,
    @Nullable WeightPrecision weightPrecision) {

  /** Whether tokens were filtered out before one was drawn. */
  public boolean truncates() {
    return topK > 0 || topP < 1 || minP > 0;
  }
}
