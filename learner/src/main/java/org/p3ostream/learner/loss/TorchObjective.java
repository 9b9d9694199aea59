package org.p3ostream.learner.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.forward.PolicyOutputs;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * The TorchScript twin of an {@link Objective}: the same token losses, with a graph. Log-probs are
 * raised to float64 inside the graph.
 *
 * <p>The graph refers to arrays made here: what is open when a method is called (an {@code NDScope}
 * or the manager) must stay open until after the backward pass.
 */
public final class TorchObjective implements AutoCloseable {
  private final NDManager manager;
  private final Objective objective;
  private final Regularization regularization;
  private final ScriptModule script;
  private final @Nullable ScriptModule terms; // null: none

  /**
   * @param manager of the device that the losses are computed on; stays the caller's to close
   * @param regularization added to the losses of the tokens
   */
  public TorchObjective(NDManager manager, Objective objective, Regularization regularization) {
    this.manager = manager;
    this.objective = objective;
    this.regularization = regularization;
    this.script = ScriptModule.compile(manager, ObjectiveScript.of(objective));
    this.terms =
        regularization.equals(Regularization.NONE)
            ? null
            : ScriptModule.compile(manager, ObjectiveScript.of(regularization));
  }

  /**
   * Losses of the tokens of a micro-batch, regularization included, not divided by anything. The
   * proximal policy is the policy of {@code outputs}, detached.
   *
   * @throws IllegalStateException if {@code outputs} lack what objective or regularization need
   * @return [N], float64
   */
  public NDArray tokenLosses(PolicyOutputs outputs, MicroBatch batch, StepContext context) {
    NDArray losses = // [N]
        objectiveLosses(
            outputs,
            manager.create(batch.behaviorLogprobs), // [N]
            manager.create(batch.advantages), // [N]
            batch.sequences,
            outputs.logprobs(),
            context);
    NDArray added = regularizationTerms(outputs); // [N]
    return added == null ? losses : losses.add(added);
  }

  /**
   * Token losses of the objective alone.
   *
   * @param behaviorLogprobs [N], float64
   * @param advantages [N], float64
   * @param sequences response of each token, 0 to the number of responses, [N]
   * @param proximalLogprobs [N]
   * @return [N], float64
   */
  NDArray objectiveLosses(
      PolicyOutputs outputs,
      NDArray behaviorLogprobs,
      NDArray advantages,
      int[] sequences,
      NDArray proximalLogprobs,
      StepContext context) {
    NDArray unread = outputs.logprobs(); // [N]
    return script
        .call(
            "token_losses",
            outputs.logprobs(), // [N]
            behaviorLogprobs, // [N]
            advantages, // [N]
            manager.create(Arrays.stream(sequences).asLongStream().toArray()), // [N]
            proximalLogprobs, // [N]
            takesExactKl() ? required(outputs.exactKl(), "exactKl") : unread, // [N]
            manager.create(context.normalizedEss())) // []
        .head();
  }

  /** What the regularization adds to the token losses, [N], float64; null for nothing. */
  @Nullable NDArray regularizationTerms(PolicyOutputs outputs) {
    if (terms == null) {
      return null;
    }
    NDArray kl = // [N]
        regularization.usesReference()
            ? terms
                .call(
                    "reference_kl",
                    outputs.logprobs(), // [N]
                    required(outputs.referenceLogprobs(), "referenceLogprobs")) // [N]
                .head()
            : null;
    NDArray bonus = // [N]
        regularization.usesEntropy()
            ? terms.call("entropy_bonus", required(outputs.entropy(), "entropy")).head()
            : null;
    return kl == null ? bonus : bonus == null ? kl : kl.add(bonus);
  }

  private boolean takesExactKl() {
    return objective instanceof P3o p3o && p3o.klMode() == KlMode.EXACT;
  }

  private NDArray required(@Nullable NDArray output, String name) {
    if (output == null) {
      throw new IllegalStateException(
          objective.id() + " with " + regularization + " needs " + name + " of the forward pass");
    }
    return output;
  }

  @Override
  public void close() {
    script.close();
    if (terms != null) {
      terms.close();
    }
  }
}
