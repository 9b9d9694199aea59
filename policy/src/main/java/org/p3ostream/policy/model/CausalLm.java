package org.p3ostream.policy.model;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;

/** The decoder's functions of a flat parameter vector. Holds no weights. */
public final class CausalLm implements AutoCloseable {

  public CausalLm(ModelConfig config, Device device, DataType dtype) {
    throw new UnsupportedOperationException("not built yet" + config + device + dtype);
  }

  public ModelConfig config() {
    throw new UnsupportedOperationException("not built yet");
  }

  public ParameterLayout layout() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Long-lived manager on the model's device: for parameters and optimizer moments. */
  public NDManager manager() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Weights as a tensor in torch-owned memory, in the model's dtype, attached to {@link
   * #manager()}.
   *
   * @param weights flat weights in layout order, [P]; copied
   * @return [P]
   */
  public NDArray parameters(float[] weights) {
    throw new UnsupportedOperationException("not built yet" + weights.length);
  }

  /**
   * Log-probs of given next tokens under softmax(logits / temperature), full vocabulary. Carries a
   * graph in grad mode.
   *
   * @param parameters [P]
   * @param ids token ids, right-padded, int64 [B, T]
   * @param positions flat indices b·T + t of the hidden states that predict the targets, int64 [N]
   * @param targets token ids that follow those positions, int64 [N]
   * @param temperature divides the logits, > 0
   * @return nats, [N], the model's dtype
   */
  public NDArray tokenLogprobs(
      NDArray parameters, NDArray ids, NDArray positions, NDArray targets, double temperature) {
    throw new UnsupportedOperationException(
        "not built yet" + parameters + ids + positions + targets + temperature);
  }

  /**
   * Logits of every position.
   *
   * @param parameters [P]
   * @param ids int64 [B, T]
   * @return [B, T, V]
   */
  public NDArray logits(NDArray parameters, NDArray ids) {
    throw new UnsupportedOperationException("not built yet" + parameters + ids);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not built yet");
  }
}
