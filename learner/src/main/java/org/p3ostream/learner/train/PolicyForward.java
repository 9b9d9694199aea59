package org.p3ostream.learner.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.torch.Autograd;

/** The forward pass of one copy of the policy. Confined to one thread. */
final class PolicyForward {
  private final CausalLm model;
  private final NDArray parameters; // [P], leaf
  private final double policyTemperature;

  /**
   * @param parameters of this copy, [P]; stay the caller's to close
   * @param policyTemperature temperature of π_θ in the ratio
   */
  PolicyForward(CausalLm model, NDArray parameters, double policyTemperature) {
    this.model = model;
    this.parameters = parameters;
    this.policyTemperature = policyTemperature;
  }

  /** With the graphs that a backward pass needs. */
  PolicyOutputs withGraph(MicroBatch batch) {
    try (Autograd recording = Autograd.record()) {
      return of(batch);
    }
  }

  /** In the grad mode of the thread. */
  PolicyOutputs of(MicroBatch batch) {
    NDManager manager = model.manager();
    return PolicyOutputs.of(
        model.tokenLogprobs(
            parameters,
            manager.create(batch.ids, new Shape(batch.rows, batch.columns)), // [B, T]
            manager.create(batch.positions), // [N]
            manager.create(batch.targets), // [N]
            policyTemperature));
  }
}
