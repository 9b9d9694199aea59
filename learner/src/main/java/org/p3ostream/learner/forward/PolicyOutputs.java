package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import org.jspecify.annotations.Nullable;

/**
 * What a forward pass over a micro-batch gives for its N valid tokens, in the order of the
 * micro-batch. Made in grad mode, everything but the reference log-probs carries its graph.
 */
public final class PolicyOutputs implements AutoCloseable {
  private final NDArray logprobs; // [N]
  private final @Nullable NDArray exactKl; // [N]
  private final @Nullable NDArray entropy; // [N]
  private final @Nullable NDArray referenceLogprobs; // [N]
  private final BehaviorFigures behavior;

  /** Without anything recomputed of the behaviour. Takes over the arrays. */
  public PolicyOutputs(
      NDArray logprobs,
      @Nullable NDArray exactKl,
      @Nullable NDArray entropy,
      @Nullable NDArray referenceLogprobs) {
    this(logprobs, exactKl, entropy, referenceLogprobs, BehaviorFigures.NONE);
  }

  PolicyOutputs(
      NDArray logprobs,
      @Nullable NDArray exactKl,
      @Nullable NDArray entropy,
      @Nullable NDArray referenceLogprobs,
      BehaviorFigures behavior) {
    this.logprobs = logprobs;
    this.exactKl = exactKl;
    this.entropy = entropy;
    this.referenceLogprobs = referenceLogprobs;
    this.behavior = behavior;
  }

  /**
   * log π_θ of the tokens, nats, [N]: the model's dtype, or float64 where whole distributions were
   * computed.
   */
  public NDArray logprobs() {
    return logprobs;
  }

  /** KL(π_θ ‖ π_b) at each token, nats, [N], float64; null unless the objective takes it. */
  public @Nullable NDArray exactKl() {
    return exactKl;
  }

  /** Entropy of π_θ at each token, nats, [N], float64; null unless it is part of the loss. */
  public @Nullable NDArray entropy() {
    return entropy;
  }

  /**
   * log π_ref of the tokens, at the temperature and over the tokens that π_θ is, nats, [N], the
   * dtype of {@link #logprobs}; null unless a reference KL is in the loss.
   */
  public @Nullable NDArray referenceLogprobs() {
    return referenceLogprobs;
  }

  /** What was found out about the recorded behaviour log-probs. */
  BehaviorFigures behavior() {
    return behavior;
  }

  @Override
  public void close() {
    logprobs.close();
    close(exactKl);
    close(entropy);
    close(referenceLogprobs);
  }

  private static void close(@Nullable NDArray array) {
    if (array != null) {
      array.close();
    }
  }
}
