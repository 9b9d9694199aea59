package org.p3ostream.learner.objective;

/**
 * A policy objective over the valid tokens of a step: token losses, summed in token order and
 * divided by the valid tokens of the whole step, so that the micro-batches of a step add up.
 */
public sealed interface Objective
    permits P3o, Grpo, PpoClip, Dapo, Cispo, Gspo, TruncatedImportanceSampling, DecoupledPpo {

  /**
   * Name with its variant, as recorded in step events: {@code p3o/step/proxy}, {@code grpo/0.2}.
   */
  String id();

  /**
   * Loss and gradient of some tokens of a step.
   *
   * @param tokens [T]
   * @param context frozen figures of the whole step
   * @throws IllegalStateException if the objective needs figures that {@code tokens} lacks
   */
  TokenLosses evaluate(TokenBatch tokens, StepContext context);
}
