package org.p3ostream.learner.forward;

import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.P3o;

/**
 * What a forward pass computes beside the log-probs of the tokens, and which distributions the two
 * sides of the ratio are.
 *
 * @param samplingTemperature whether π_θ is taken at the temperature that its response was sampled
 *     at, instead of 1
 * @param rawLogprobs whether the recorded behaviour log-probs are of the model at temperature 1
 *     without filters; π_θ in the ratio is then over the whole vocabulary, whatever the filters
 * @param exactKl KL(π_θ ‖ π_b) over the vocabulary
 * @param entropy entropy of π_θ
 * @param referenceLogprobs log-probs of version 0
 * @param audit whether the recorded behaviour log-probs are recomputed
 */
public record ForwardSpec(
    boolean samplingTemperature,
    boolean rawLogprobs,
    boolean exactKl,
    boolean entropy,
    boolean referenceLogprobs,
    boolean audit) {

  /** What a step needs. */
  public static ForwardSpec of(StepRecipe recipe) {
    return new ForwardSpec(
        recipe.samplingTemperature(),
        recipe.rawLogprobs(),
        recipe.objective() instanceof P3o p3o && p3o.klMode() == KlMode.EXACT,
        recipe.regularization().usesEntropy(),
        recipe.regularization().usesReference(),
        recipe.audit());
  }
}
