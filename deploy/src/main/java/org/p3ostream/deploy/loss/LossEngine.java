package org.p3ostream.deploy.loss;

import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;

/** Evaluates one objective. */
interface LossEngine extends AutoCloseable {

  /** Loss and gradient of one micro-batch of a step. */
  TokenLosses evaluate(TokenBatch tokens, StepContext context);

  @Override
  default void close() {}
}
