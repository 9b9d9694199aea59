package org.p3ostream.learner.train;

import ai.djl.ndarray.NDArray;
import java.util.function.Function;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.KlProxy;
import org.p3ostream.learner.replica.ParameterLeaf;
import org.p3ostream.learner.replica.ReplicaGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.CausalLm;

/** The step's passes over windows at fixed weights: figures and gradients without an update. */
public final class WindowEvaluator implements AutoCloseable {

  private final NDArray parameters; // [P], leaf
  private final WindowPass pass;

  /**
   * @param model stays the caller's to close
   * @param weights [P]
   */
  public WindowEvaluator(
      CausalLm model, float[] weights, StepRecipe recipe, Partitioning partitioning) {
    this(
        model,
        weights,
        recipe,
        partitioning,
        WindowPartition.cut(model.config().padTokenId(), partitioning),
        ContextRule.of(recipe.objective()));
  }

  /** With a cut and a rule of the caller's own: what a guard is for shows when it is missing. */
  WindowEvaluator(
      CausalLm model,
      float[] weights,
      StepRecipe recipe,
      Partitioning partitioning,
      Function<Window, WindowPartition> cut,
      ContextRule rule) {
    this.parameters = model.parameters(weights);
    parameters.setRequiresGradient(true);
    this.pass =
        new WindowPass(
            new ReplicaGroup(model, parameters, recipe, partitioning.devices()),
            model.shards(),
            cut,
            rule,
            partitioning.retainedGraphTokens());
  }

  /**
   * Evaluates a window.
   *
   * @param window with a valid token
   * @throws NonFiniteUpdateException if statistics or a loss are not finite
   */
  public WindowEvaluation evaluate(Window window) {
    WindowPass.Result result = pass.run(window);
    ParameterLeaf leaf = pass.replicas().first().leaf();
    WindowEvaluation evaluation =
        new WindowEvaluation(
            result.tokens().ratioStatistics().normalizedEss(),
            result.tokens().mean(KlProxy::value),
            result.loss(),
            leaf.gradient(),
            result.forwardAgain());
    leaf.clearGradient();
    return evaluation;
  }

  @Override
  public void close() {
    pass.close();
    parameters.close();
  }
}
