package org.p3ostream.learner.objective;

/**
 * A policy objective over the valid tokens of a step, token-normalised by the count of the whole
 * step.
 */
public sealed interface Objective permits P3o, Grpo {

  /**
   * Name with its variant, as recorded in step events: {@code p3o/step/proxy}, {@code grpo/0.2}.
   */
  String id();

  /**
   * Loss and gradient of some tokens of a step.
   *
   * @param tokens [T]
   * @param context frozen figures of the whole step
   */
  TokenLosses evaluate(TokenBatch tokens, StepContext context);
}
