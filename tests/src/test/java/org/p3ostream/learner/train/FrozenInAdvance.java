package org.p3ostream.learner.train;

import java.util.Collections;
import java.util.List;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.policy.model.CausalLm;

/**
 * Training as it would be if e were known before the step: the same loss without a pre-pass. What a
 * pre-pass costs is measured against it.
 */
public final class FrozenInAdvance implements ContextRule {
  private final double ess;

  private FrozenInAdvance(double ess) {
    this.ess = ess;
  }

  /** A trainer that takes {@code ess} for the ESS of every window. */
  public static WindowTrainer trainer(
      CausalLm model,
      AdamW optimizer,
      LearningRateSchedule schedule,
      StepRecipe recipe,
      Partitioning partitioning,
      double ess) {
    return new WindowTrainer(
        model, optimizer, schedule, recipe, partitioning, new FrozenInAdvance(ess));
  }

  @Override
  public boolean byRound() {
    return true;
  }

  @Override
  public List<List<StepContext>> freeze(
      WindowTokens tokens, int firstRound, int endRound, int replicas) {
    return Collections.nCopies(
        endRound - firstRound, Collections.nCopies(replicas, new StepContext(ess, tokens.count())));
  }
}
