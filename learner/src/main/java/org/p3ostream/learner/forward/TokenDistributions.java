package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.policy.sampling.SamplingDistribution;
import org.p3ostream.policy.torch.ScriptModule;
import org.p3ostream.policy.torch.ScriptResource;

/**
 * Distributions over the vocabulary at tokens, all float64, nats.
 *
 * <pre>
 *   log π_b = log softmax(z_b / T_b) over the kept tokens K, −∞ elsewhere
 *   log π_θ = log softmax(z_θ / T_θ) over the same K
 *   KL(π_θ ‖ π_b) = Σ_{v ∈ K} π_θ(v) (log π_θ(v) − log π_b(v)),   H = −Σ_{v ∈ K} π_θ(v) log π_θ(v)
 * </pre>
 *
 * Source: the KL of Fakoor et al. 2026, arXiv:2605.12380, Eq. 12. K is what the sampler's own
 * filters leave of z_b, and the sampled token. Detached: everything of the behaviour. Plain-Java
 * twin: {@link org.p3ostream.learner.objective.ExactKl}.
 */
final class TokenDistributions implements AutoCloseable {
  private final ScriptModule script;

  TokenDistributions(NDManager manager) {
    this.script =
        ScriptModule.compile(
            manager,
            SamplingDistribution.script()
                + "\n"
                + ScriptResource.of(
                    TokenDistributions.class,
                    "token_distributions.torchscript",
                    java.util.Map.of()));
  }

  /**
   * The distribution that tokens were sampled from.
   *
   * @param logits of the behaviour weights, [n, V]
   * @param targets the sampled tokens, int64 [n]
   * @param sampling of all n tokens
   * @return log-probs [n, V]; those of the targets [n]; number of targets that the filters would
   *     have removed, int64 []
   */
  NDList behavior(NDArray logits, NDArray targets, BehaviorSampling sampling) {
    NDManager manager = logits.getManager();
    try (NDArray temperature = manager.create(sampling.temperature());
        NDArray topK = manager.create(sampling.topK());
        NDArray topP = manager.create(sampling.topP());
        NDArray minP = manager.create(sampling.minP())) {
      return script.call("behavior", logits, targets, temperature, topK, topP, minP);
    }
  }

  /** Writes {@code part} [n, V] into the rows [n] of {@code target} [N, V]. */
  void place(NDArray target, NDArray rows, NDArray part) {
    script.call("place", target, rows, part).close();
  }

  /**
   * The policy over the tokens that the behaviour keeps.
   *
   * @param logits with their graph, [n, V]
   * @param temperatures [n, 1]
   * @param behavior log-probs [n, V]; [1, 1] of zero keeps all
   * @return log-probs with their graph, [n, V]
   */
  NDArray policy(NDArray logits, NDArray temperatures, NDArray behavior) {
    return script.call("policy", logits, temperatures, behavior).singletonOrThrow();
  }

  /** Log-probs of the targets: log-probs [n, V], targets [n] to [n]. */
  NDArray ofTargets(NDArray logprobs, NDArray targets) {
    return script.call("of_targets", logprobs, targets).singletonOrThrow();
  }

  /** KL at each token: log-probs of policy and behaviour [n, V] to [n]. */
  NDArray kl(NDArray policy, NDArray behavior) {
    return script.call("kl", policy, behavior).singletonOrThrow();
  }

  /** Entropy at each token: log-probs [n, V] to [n]. */
  NDArray entropy(NDArray policy) {
    return script.call("entropy", policy).singletonOrThrow();
  }

  @Override
  public void close() {
    script.close();
  }
}
