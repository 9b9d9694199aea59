package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.torch.Autograd;

/**
 * The forward pass of one copy of the policy, and of the versions that it is compared with. Where
 * log-probs of the tokens are all that is needed, they are all that is computed. Confined to one
 * thread.
 *
 * <p>Temperature and kept tokens of a token are those of its own response: π_θ is taken over the
 * tokens that the sampler's filters had left, unless the recorded log-probs are raw.
 */
public final class PolicyForward implements AutoCloseable {

  /** Whose weights are the reference policy's. */
  private static final SampledBy REFERENCE = new SampledBy(0, WeightPrecision.FLOAT32);

  private final CausalLm model;
  private final NDArray parameters; // [P], leaf
  private final ForwardSpec spec;
  private final TokenDistributions distributions;
  private final BehaviorPolicy behaviorPolicy;
  private final VersionTensors versions;
  private final VersionTensors reference;

  /**
   * @param parameters of this copy, [P]; stay the caller's to close
   * @param weights of earlier versions; asked for none unless {@code spec} or the sampling of a
   *     response needs it
   */
  public PolicyForward(
      CausalLm model, NDArray parameters, ForwardSpec spec, BehaviorWeights weights) {
    this.model = model;
    this.parameters = parameters;
    this.spec = spec;
    this.distributions = new TokenDistributions(model.manager());
    this.versions = new VersionTensors(model, weights);
    this.reference = new VersionTensors(model, weights);
    this.behaviorPolicy = new BehaviorPolicy(model, distributions, versions, spec);
  }

  /** With the graphs that a backward pass needs. */
  public PolicyOutputs withGraph(MicroBatch batch) {
    try (Autograd recording = Autograd.record()) {
      return of(batch);
    }
  }

  /**
   * In the grad mode of the thread.
   *
   * @throws BehaviorSnapshotMissingException if weights of an earlier version cannot be had
   */
  public PolicyOutputs of(MicroBatch batch) {
    BehaviorPolicy.Recomputed behavior = behaviorPolicy.of(batch);
    NDArray behaviorLogprobs = behavior.logprobs(); // [N, V]
    try (Inputs inputs = new Inputs(batch)) {
      return behaviorLogprobs == null && !spec.entropy()
          ? ofTokens(inputs, behavior.figures())
          : ofDistributions(inputs, behaviorLogprobs, behavior.figures());
    } finally {
      if (behaviorLogprobs != null) {
        behaviorLogprobs.close();
      }
    }
  }

  /** Log-probs of the tokens without their distributions. */
  private PolicyOutputs ofTokens(Inputs inputs, BehaviorFigures behavior) {
    return new PolicyOutputs(
        logprobs(inputs, parameters),
        null,
        null,
        spec.referenceLogprobs() ? logprobs(inputs, reference.of(REFERENCE)) : null,
        behavior);
  }

  private NDArray logprobs(Inputs inputs, NDArray weights) { // [N]
    double[] temperatures = inputs.temperatures; // [N]
    boolean uniform = Arrays.stream(temperatures).allMatch(t -> t == temperatures[0]);
    return uniform
        ? model.tokenLogprobs(
            weights, inputs.ids, inputs.positions, inputs.targets, temperatures[0])
        : model.tokenLogprobs(weights, inputs.ids, inputs.positions, inputs.targets, temperatures);
  }

  /** The same and more from the distributions that the tokens are of. */
  private PolicyOutputs ofDistributions(
      Inputs inputs, @Nullable NDArray behavior, BehaviorFigures figures) {
    try (NDArray all = model.manager().zeros(new Shape(1, 1)); // every token is kept
        NDArray logits = model.tokenLogits(parameters, inputs.ids, inputs.positions)) { // [N, V]
      NDArray kept = behavior == null || spec.rawLogprobs() ? all : behavior;
      try (NDArray policy = policy(logits, inputs, kept)) { // [N, V]
        return new PolicyOutputs(
            distributions.ofTargets(policy, inputs.targets),
            behavior != null && spec.exactKl() ? kl(policy, logits, inputs, behavior) : null,
            spec.entropy() ? distributions.entropy(policy) : null,
            spec.referenceLogprobs() ? reference(inputs, kept) : null,
            figures);
      }
    }
  }

  private NDArray policy(NDArray logits, Inputs inputs, NDArray kept) { // [N, V]
    try (NDArray temperatures = // [N, 1]
        model.manager().create(inputs.temperatures, new Shape(inputs.temperatures.length, 1))) {
      return distributions.policy(logits, temperatures, kept);
    }
  }

  /** Over the kept tokens even where the ratio is not: elsewhere the KL would be infinite. */
  private NDArray kl(NDArray policy, NDArray logits, Inputs inputs, NDArray behavior) { // [N]
    if (!spec.rawLogprobs()) {
      return distributions.kl(policy, behavior);
    }
    try (NDArray overKept = policy(logits, inputs, behavior)) { // [N, V]
      return distributions.kl(overKept, behavior);
    }
  }

  private NDArray reference(Inputs inputs, NDArray kept) { // [N]
    try (NDArray logits = // [N, V]
            model.tokenLogits(reference.of(REFERENCE), inputs.ids, inputs.positions);
        NDArray policy = policy(logits, inputs, kept)) { // [N, V]
      return distributions.ofTargets(policy, inputs.targets);
    }
  }

  @Override
  public void close() {
    versions.close();
    reference.close();
    distributions.close();
  }

  /** A micro-batch as arrays of the engine. A graph keeps copies of what it needs. */
  private final class Inputs implements AutoCloseable {
    private final NDArray ids; // [B, T]
    private final NDArray positions; // [N]
    private final NDArray targets; // [N]
    private final double[] temperatures; // [N], of π_θ

    Inputs(MicroBatch batch) {
      NDManager manager = model.manager();
      ids = manager.create(batch.ids, new Shape(batch.rows, batch.columns));
      positions = manager.create(batch.positions);
      targets = manager.create(batch.targets);
      temperatures = new double[batch.validTokens()];
      for (int n = 0; n < temperatures.length; n++) {
        temperatures[n] = spec.samplingTemperature() ? batch.sampling(n).temperature() : 1;
      }
    }

    @Override
    public void close() {
      ids.close();
      positions.close();
      targets.close();
    }
  }
}
