package org.p3ostream.policy.model;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Map;
import org.p3ostream.policy.torch.ScriptModule;
import org.p3ostream.policy.torch.TorchRuntime;

/** The decoder's functions of a flat parameter vector. Holds no weights. */
public final class CausalLm implements AutoCloseable {

  private final ModelConfig config;
  private final ParameterLayout layout;
  private final DataType dtype;
  private final ContextShards shards;
  private final String source;
  private final NDManager manager;
  private final ScriptModule script;

  /**
   * A model whose sequences are not cut.
   *
   * @param dtype float32 or float64
   */
  public CausalLm(ModelConfig config, Device device, DataType dtype) {
    this(config, device, dtype, ContextShards.NONE);
  }

  /**
   * A model that computes a sequence by context shards, all in one graph.
   *
   * @param dtype float32 or float64
   */
  public CausalLm(ModelConfig config, Device device, DataType dtype, ContextShards shards) {
    this(config, device, dtype, shards, source(config, dtype, shards));
  }

  CausalLm(ModelConfig config, Device device, DataType dtype, ContextShards shards, String source) {
    this.config = config;
    this.layout = ParameterLayout.of(config);
    this.dtype = dtype;
    this.shards = shards;
    this.source = source;
    this.manager = TorchRuntime.newManager(device);
    this.script = ScriptModule.compile(manager, source);
  }

  static String source(ModelConfig config, DataType dtype, ContextShards shards) {
    Map<String, String> figures =
        Map.of(
            "STATES",
            shards.count() == 1 ? "hidden" : "sharded_states",
            "CONTEXT_SHARDS",
            Integer.toString(shards.count()));
    return DecoderScript.with(config, dtype, figures, CausalLm.class, "causal_lm.torchscript");
  }

  /** The same model on another device; holds nothing of this one. */
  public CausalLm on(Device device) {
    return new CausalLm(config, device, dtype, shards, source);
  }

  public ModelConfig config() {
    return config;
  }

  public ParameterLayout layout() {
    return layout;
  }

  public DataType dtype() {
    return dtype;
  }

  /** How sequences are cut. */
  public ContextShards shards() {
    return shards;
  }

  /** Long-lived manager on the model's device: for parameters and optimizer moments. */
  public NDManager manager() {
    return manager;
  }

  /**
   * Weights as a tensor in torch-owned memory, in the model's dtype, attached to {@link #manager()}
   * and to no scope: it lives until it or the model is closed.
   *
   * @param weights flat weights in layout order, [P]; copied
   * @return [P]
   */
  public NDArray parameters(float[] weights) {
    if (weights.length != layout.size()) {
      throw new IllegalArgumentException(
          weights.length + " weights, the model has " + layout.size() + " parameters");
    }
    try (NDArray javaMemory = manager.create(weights)) {
      NDArray parameters = script.call("own", javaMemory).singletonOrThrow(); // [P]
      NDScope.unregister(parameters);
      return parameters;
    }
  }

  /**
   * Log-probs of given next tokens under softmax(logits / temperature), full vocabulary. Carries a
   * graph in grad mode. The result attaches to the manager of {@code ids}; all inputs but the
   * parameters may be closed before backward.
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
    requireTemperature(temperature);
    try (NDArray divisor = ids.getManager().create(temperature)) {
      return tokenLogprobs(parameters, ids, positions, targets, divisor);
    }
  }

  /**
   * The same with a temperature per token.
   *
   * @param temperatures divide the logits, > 0, [N]
   */
  public NDArray tokenLogprobs(
      NDArray parameters, NDArray ids, NDArray positions, NDArray targets, double[] temperatures) {
    for (double temperature : temperatures) {
      requireTemperature(temperature);
    }
    try (NDArray divisors = // [N, 1]
        ids.getManager().create(temperatures, new Shape(temperatures.length, 1))) {
      return tokenLogprobs(parameters, ids, positions, targets, divisors);
    }
  }

  private NDArray tokenLogprobs(
      NDArray parameters, NDArray ids, NDArray positions, NDArray targets, NDArray temperature) {
    requireShapes(parameters, ids);
    if (!positions.getShape().equals(targets.getShape()) || positions.getShape().dimension() != 1) {
      throw new IllegalArgumentException(
          "positions and targets must be [N], are "
              + positions.getShape()
              + " and "
              + targets.getShape());
    }
    return script
        .call("token_logprobs", ids, parameters, positions, targets, temperature)
        .singletonOrThrow();
  }

  private static void requireTemperature(double temperature) {
    if (!(temperature > 0 && Double.isFinite(temperature))) {
      throw new IllegalArgumentException("temperature: " + temperature + " must be finite and > 0");
    }
  }

  /**
   * Logits that predict given next tokens. Carries a graph in grad mode. The result attaches to the
   * manager of {@code ids}; all inputs but the parameters may be closed before backward.
   *
   * @param parameters [P]
   * @param ids token ids, right-padded, int64 [B, T]
   * @param positions flat indices b·T + t of the hidden states, int64 [N]
   * @return [N, V], the model's dtype
   */
  public NDArray tokenLogits(NDArray parameters, NDArray ids, NDArray positions) {
    requireShapes(parameters, ids);
    return script.call("token_logits", ids, parameters, positions).singletonOrThrow();
  }

  /**
   * Logits of every position. Carries a graph in grad mode. The result attaches to the manager of
   * {@code ids}.
   *
   * @param parameters [P]
   * @param ids int64 [B, T]
   * @return [B, T, V]
   */
  public NDArray logits(NDArray parameters, NDArray ids) {
    requireShapes(parameters, ids);
    return script.call("logits", ids, parameters).singletonOrThrow();
  }

  @Override
  public void close() {
    script.close();
    manager.close();
  }

  private void requireShapes(NDArray parameters, NDArray ids) {
    if (!parameters.getShape().equals(new Shape(layout.size()))) {
      throw new IllegalArgumentException(
          "parameters must be [" + layout.size() + "], are " + parameters.getShape());
    }
    Shape shape = ids.getShape();
    if (shape.dimension() != 2 || shape.get(1) < 1 || shape.get(1) > config.maxPositions()) {
      throw new IllegalArgumentException(
          "ids must be [B, T] with 1 <= T <= " + config.maxPositions() + ", are " + shape);
    }
  }
}
