package org.p3ostream.learner.train;

import java.util.List;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;

/**
 * The float64 objective on a whole window, summed over the parts that have a context of their own.
 * Losses are divided by the valid tokens of the step.
 */
record WindowLosses(
    double policyLoss, double klLoss, double regularizationLoss, long limitedTokens) {

  /**
   * @param contexts that of the window, or one per round
   */
  static WindowLosses of(StepRecipe recipe, WindowTokens tokens, List<StepContext> contexts) {
    double policy = 0;
    double kl = 0;
    double regularization = 0;
    long limited = 0;
    for (int i = 0; i < contexts.size(); i++) {
      TokenBatch part = contexts.size() == 1 ? tokens.asBatch() : tokens.ofRound(i);
      TokenLosses losses = recipe.objective().evaluate(part, contexts.get(i));
      if (!recipe.regularization().equals(Regularization.NONE)) {
        losses = recipe.regularization().addTo(losses, part, contexts.get(i));
      }
      policy += losses.policyLoss();
      kl += losses.klLoss();
      regularization += losses.regularizationLoss();
      limited += losses.limitedTokens();
    }
    return new WindowLosses(policy, kl, regularization, limited);
  }

  double loss() {
    return policyLoss + klLoss + regularizationLoss;
  }
}
