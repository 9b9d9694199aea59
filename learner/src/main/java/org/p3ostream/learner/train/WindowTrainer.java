package org.p3ostream.learner.train;

import java.util.List;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.replica.ReplicaGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.CausalLm;

/**
 * One optimizer step on one window.
 *
 * <ol>
 *   <li>Pre-pass: log-probs of every micro-batch, before anything is back-propagated. Graphs are
 *       kept while they fit the budget; the other micro-batches are run forward again later.
 *       Objectives that need no figure of the whole window go micro-batch by micro-batch instead.
 *   <li>The ESS, in float64, freezes the contexts by which losses are weighted.
 *   <li>Loss and backward pass per micro-batch, in order; gradients add up in one flat vector per
 *       replica, and then over the replicas, in order.
 *   <li>One AdamW update, unless anything is not finite; then every replica has the new weights.
 * </ol>
 */
public final class WindowTrainer implements AutoCloseable {

  private final AdamW optimizer;
  private final LearningRateSchedule schedule;
  private final StepRecipe recipe;
  private final WindowPass pass;

  /**
   * @param model of the optimizer's parameters
   * @param optimizer owns the parameters; stays the caller's to close
   */
  public WindowTrainer(
      CausalLm model,
      AdamW optimizer,
      LearningRateSchedule schedule,
      StepRecipe recipe,
      Partitioning partitioning) {
    this(model, optimizer, schedule, recipe, partitioning, ContextRule.of(recipe.objective()));
  }

  /** With a rule of the caller's own, to compare with. */
  WindowTrainer(
      CausalLm model,
      AdamW optimizer,
      LearningRateSchedule schedule,
      StepRecipe recipe,
      Partitioning partitioning,
      ContextRule rule) {
    this.optimizer = optimizer;
    this.schedule = schedule;
    this.recipe = recipe;
    this.pass =
        new WindowPass(
            new ReplicaGroup(model, optimizer.parameters(), recipe, partitioning.devices()),
            model.shards(),
            WindowPartition.cut(model.config().padTokenId(), partitioning),
            rule,
            partitioning.retainedGraphTokens());
  }

  /**
   * Trains on a window. The result is a function of the weights, the moments, the set of groups and
   * the partitioning, but for the durations and the age.
   *
   * @param policyVersion version of the weights before the update, which is also the number of
   *     updates
   * @param nowMs time for the groups' age, milliseconds since the epoch
   * @throws NonFiniteUpdateException if statistics, loss or gradient are not finite; the weights
   *     have not moved
   * @throws IllegalStateException if a replica failed; the weights have not moved
   */
  public TrainedWindow train(Window window, long policyVersion, long nowMs) {
    long start = System.nanoTime();
    if (window.validTokens() == 0) {
      return new TrainedWindow(null, List.of(), millisSince(start), 0);
    }
    WindowPass.Result result = pass.run(window);
    long updateStart = System.nanoTime();
    double gradNorm = optimizer.gradientNorm();
    if (!Double.isFinite(gradNorm)) {
      optimizer.clearGradient();
      throw NonFiniteUpdateException.of(window, "gradient norm " + gradNorm);
    }
    double learningRate = schedule.at(policyVersion);
    optimizer.update(learningRate, gradNorm);
    pass.replicas().refresh();
    double updateMillis = result.backwardMillis() + millisSince(updateStart);
    return new TrainedWindow(
        WindowMetrics.of(window, result, recipe, policyVersion, gradNorm, learningRate, nowMs),
        result.tokens().ratioStatisticsByVersion(),
        result.forwardMillis(),
        updateMillis);
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }

  @Override
  public void close() {
    pass.close();
  }
}
