package org.p3ostream.learner.forward;

import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.Regularization;

/**
 * What a step computes, however the work is cut up.
 *
 * @param samplingTemperature whether π_θ is taken at the temperature that its response was sampled
 *     at, instead of 1
 * @param rawLogprobs whether the recorded behaviour log-probs are of the model at temperature 1
 *     without filters, instead of the distribution sampled from
 * @param audit whether the recorded behaviour log-probs are recomputed and compared
 * @param measuredKl whether KL(π_θ ‖ π_b) over the vocabulary is measured where the objective does
 *     not take it
 * @param weights of the versions that sampled the tokens, and of version 0, which is the reference;
 *     asked for none unless something above or the filters of a response need it
 */
public record StepRecipe(
    Objective objective,
    Regularization regularization,
    boolean samplingTemperature,
    boolean rawLogprobs,
    boolean audit,
    boolean measuredKl,
    BehaviorWeights weights) {

  /**
   * An objective on its own: π_θ at temperature 1, behaviour log-probs of the distribution sampled
   * from.
   *
   * @param weights of the versions that sampled the tokens
   */
  public static StepRecipe of(Objective objective, BehaviorWeights weights) {
    return new StepRecipe(objective, Regularization.NONE, false, false, false, false, weights);
  }

  /** The same where no response was sampled with a filter and no KL is exact. */
  public static StepRecipe of(Objective objective) {
    return of(
        objective,
        version -> {
          throw new BehaviorSnapshotMissingException(version, "no snapshots are at hand");
        });
  }
}
