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
 * @param exactKl KL(π_θ ‖ π_b) over the vocabulary, with its graph
 * @param measuredKl the same as a figure, where {@code exactKl} is not asked for
 * @param entropy entropy of π_θ
 * @param referenceLogprobs log-probs of version 0
 * @param audit whether the recorded behaviour log-probs are recomputed
 */
public record ForwardSpec(
    boolean samplingTemperature,
    boolean rawLogprobs,
    boolean exactKl,
    boolean measuredKl,
    boolean entropy,
    boolean referenceLogprobs,
    boolean audit) {

  /** What a step needs. */
  public static ForwardSpec of(StepRecipe recipe) {
    boolean exactKl = recipe.objective() instanceof P3o p3o && p3o.klMode() == KlMode.EXACT;
    return new ForwardSpec(
        recipe.samplingTemperature(),
        recipe.rawLogprobs(),
        exactKl,
        recipe.measuredKl() && !exactKl,
        recipe.regularization().usesEntropy(),
        recipe.regularization().usesReference(),
        recipe.audit());
  }

  /** Whether KL(π_θ ‖ π_b) is among the figures. */
  public boolean hasKl() {
    return exactKl || measuredKl;
  }
}
