package org.p3ostream.learner.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import java.util.Locale;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * The TorchScript twin of an {@link Objective}: the same loss, with a graph. Log-probs are raised
 * to float64 inside the graph; sums over the tokens of a micro-batch are divided by the valid
 * tokens of the whole step, so that micro-batches add up.
 */
final class TorchObjective implements AutoCloseable {

  /** See {@link P3o} for the formula; ρ's coefficient, e and A carry no gradient. */
  private static final String P3O =
      """
      def loss(self, logp: Tensor, behavior: Tensor, advantage: Tensor, ess: Tensor, count: Tensor) -> Tensor:
        lp = logp.to(7)
        l = lp - behavior
        c = torch.minimum(torch.exp(torch.detach(l)), ess)
        k = l + torch.exp(torch.clamp(torch.neg(l), -10., 10.)) - 1.
        t = torch.neg(c * advantage * lp) + torch.rsub(ess, 1.) * k
        return t
      """;

  /** See {@link Grpo} for the formula; A carries no gradient. */
  private static final String GRPO =
      """
      def loss(self, logp: Tensor, behavior: Tensor, advantage: Tensor, ess: Tensor, count: Tensor) -> Tensor:
        r = torch.exp(logp.to(7) - behavior)
        t = torch.maximum(torch.neg(r * advantage), torch.neg(torch.clamp(r, %s, %s) * advantage))
        return t
      """;

  private final ScriptModule script;
  private final NDManager manager;

  TorchObjective(NDManager manager, Objective objective) {
    this.manager = manager;
    this.script = ScriptModule.compile(manager, source(objective));
  }

  /**
   * Loss of one micro-batch.
   *
   * @param logprobs log π_θ with its graph, [N]
   * @return 0-dimensional, float64
   */
  NDArray tokenLosses(PolicyOutputs outputs, MicroBatch batch, StepContext context) {
    NDArray logprobs = outputs.logprobs(); // [N]
    return script
        .call(
            "loss",
            logprobs,
            manager.create(batch.behaviorLogprobs), // [N]
            manager.create(batch.advantages), // [N]
            manager.create(context.normalizedEss()), // []
            manager.create((double) context.validTokens())) // []
        .head();
  }

  private static String source(Objective objective) {
    if (objective instanceof Grpo grpo) {
      return GRPO.formatted(literal(1 - grpo.clipLow()), literal(1 + grpo.clipHigh()));
    }
    return P3O;
  }

  private static String literal(double value) {
    return String.format(Locale.ROOT, "%.17e", value);
  }

  @Override
  public void close() {
    script.close();
  }
}
