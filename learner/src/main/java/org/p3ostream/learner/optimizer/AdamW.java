package org.p3ostream.learner.optimizer;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import java.util.Locale;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * AdamW with decoupled weight decay on one flat parameter vector, by torch's fused kernel.
 *
 * <pre>
 *   g ← g · min(1, clipNorm / (‖g‖₂ + 1e-6))
 *   m ← β1 m + (1 − β1) g,  v ← β2 v + (1 − β2) g²
 *   θ ← θ − lr · λ · θ − lr · m̂ / (√v̂ + ε),  m̂ = m / (1 − β1^k),  v̂ = v / (1 − β2^k)
 * </pre>
 *
 * Source: Loshchilov and Hutter 2019, arXiv:1711.05101, Algorithm 2; clipping by global norm:
 * Pascanu et al. 2013, arXiv:1211.5063, Algorithm 1. Deviations, both torch's: the decay is scaled
 * by lr, where Algorithm 2 scales it by the schedule alone; the norm has 1e-6 added. The norm is
 * accumulated in float64; parameters and moments have the model's dtype. Owns parameters and
 * moments, [P] each, in torch-owned memory.
 */
public final class AdamW implements AutoCloseable {

  private static final String SCRIPT =
      """
      def gradient_norm(self, g: Tensor) -> Tensor:
        d = g.to(7)
        return torch.sqrt(torch.sum(d * d))
      def update(self, p: Tensor, g: Tensor, m: Tensor, v: Tensor, k: Tensor, lr: Tensor, scale: Tensor) -> Tensor:
        g.mul_(scale)
        l = [p]
        torch._fused_adamw_(l, [g], [m], [v], annotate(List[Tensor], []), [k], lr=float(lr), beta1=%s, beta2=%s, weight_decay=%s, eps=%s, amsgrad=False, maximize=False)
        g.zero_()
        return l[0]
      def clear(self, g: Tensor) -> Tensor:
        return g.zero_()
      """;

  private final OptimizerConfig config;
  private final NDManager manager;
  private final ScriptModule script;
  private final NDArray parameters; // [P], leaf
  private final NDArray firstMoment; // [P]
  private final NDArray secondMoment; // [P]
  private long updates;

  /** Starts from {@code weights} with zero moments. */
  public AdamW(CausalLm model, OptimizerConfig config, float[] weights) {
    this(model, config, OptimizerState.initial(weights));
  }

  /** Continues from a saved state. */
  public AdamW(CausalLm model, OptimizerConfig config, OptimizerState state) {
    this.config = config;
    this.manager = model.manager();
    this.script =
        ScriptModule.compile(
            manager,
            SCRIPT.formatted(
                literal(config.beta1()),
                literal(config.beta2()),
                literal(config.weightDecay()),
                literal(config.epsilon())));
    this.parameters = model.parameters(state.weights());
    this.firstMoment = model.parameters(state.firstMoment());
    this.secondMoment = model.parameters(state.secondMoment());
    this.updates = state.updates();
    parameters.setRequiresGradient(true);
  }

  /** The parameters as a leaf that collects gradients, [P]; changed in place by {@link #update}. */
  public NDArray parameters() {
    return parameters;
  }

  /** Updates made so far. */
  public long updates() {
    return updates;
  }

  /** ‖g‖₂ of the accumulated gradient, before clipping. */
  public double gradientNorm() {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray gradient = parameters.getGradient(); // [P]
      return script.call("gradient_norm", gradient).head().getDouble();
    }
  }

  /**
   * Applies the accumulated gradient and clears it.
   *
   * @param learningRate lr of this update
   * @param gradientNorm what {@link #gradientNorm()} returned
   */
  public void update(double learningRate, double gradientNorm) {
    double scale = Math.min(1, config.clipNorm() / (gradientNorm + 1e-6));
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray gradient = parameters.getGradient(); // [P]
      NDArray step = manager.create((float) (updates + 1)); // [], k
      script.call(
          "update",
          parameters,
          gradient,
          firstMoment,
          secondMoment,
          step,
          manager.create(learningRate),
          manager.create(scale));
    }
    updates++;
  }

  /** Drops the accumulated gradient. */
  public void clearGradient() {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      script.call("clear", parameters.getGradient());
    }
  }

  /** A copy of the state, as float32. */
  public OptimizerState state() {
    return new OptimizerState(
        floats(parameters), floats(firstMoment), floats(secondMoment), updates);
  }

  /** A copy of the weights, as float32, [P]. */
  public float[] weights() {
    return floats(parameters);
  }

  private static float[] floats(NDArray array) {
    return array.toFloatArray();
  }

  private static String literal(double value) {
    return String.format(Locale.ROOT, "%.17e", value);
  }

  @Override
  public void close() {
    script.close();
    parameters.close();
    firstMoment.close();
    secondMoment.close();
  }
}
