package org.p3ostream.learner.objective;

/**
 * What a step knows before anything is back-propagated; frozen, so that no re-execution of the loss
 * can change it.
 *
 * @param normalizedEss e of the whole step, in [0, 1]
 * @param validTokens N of the whole step, ≥ 1: every loss is divided by it
 */
public record StepContext(double normalizedEss, long validTokens) {
  public StepContext {
    if (!(normalizedEss >= 0 && normalizedEss <= 1)) {
      throw new IllegalArgumentException("normalizedEss " + normalizedEss + " is not in [0, 1]");
    }
    if (validTokens < 1) {
      throw new IllegalArgumentException("a step without valid tokens has no loss");
    }
  }
}
