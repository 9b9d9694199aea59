package org.p3ostream.rolloutproducer.generation;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.StopStrings;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/**
 * The policy in float32, with the tensors of the weights used last, rounded as their variants say.
 * Confined to one thread.
 */
public final class PolicySampler implements AutoCloseable {

  /** Weights as they are loaded. */
  private record Loaded(long version, WeightPrecision precision) {}

  /**
   * A batch.
   *
   * @param policyVersions of the weights in the order in which they were exchanged
   */
  record Batch(List<SampledResponse> responses, List<Long> policyVersions) {}

  private final CausalLm model;
  private final Sampler sampler;
  private final int kept;
  private final LinkedHashMap<Loaded, NDArray> parameters =
      new LinkedHashMap<>(4, 0.75f, true); // [P] each, used last at the end

  /**
   * @param kept tensors kept: as many as there are variants
   * @param inFlightUpdates whether newer weights are looked for before every token
   * @param recorded which log-probs responses come with
   */
  public PolicySampler(
      ModelConfig config,
      Device device,
      int kept,
      boolean inFlightUpdates,
      RecordedLogprob recorded) {
    this.model = new CausalLm(config, device, DataType.FLOAT32);
    this.sampler = inFlightUpdates ? new Sampler(model, 1, recorded) : new Sampler(model, recorded);
    this.kept = kept;
  }

  /**
   * Samples one batch of exactly as many rows as the variant has responses.
   *
   * @param weights asked while sampling: where they are of another version than before, the batch
   *     goes on with them
   * @param promptTokens [T], not empty
   * @param stops texts that end a response
   * @param cut asked while sampling: once true, unfinished responses are left as they are
   */
  Batch sample(
      Supplier<PolicyWeights> weights,
      Variant variant,
      int[] promptTokens,
      StopStrings stops,
      BooleanSupplier cut) {
    List<Long> versions = new ArrayList<>();
    List<SampledResponse> responses =
        sampler.sample(
            () -> {
              PolicyWeights now = weights.get();
              if (versions.isEmpty() || versions.get(versions.size() - 1) != now.version()) {
                versions.add(now.version());
              }
              return load(now, variant.precision());
            },
            promptTokens,
            variant.responses(),
            variant.parameters(),
            variant.seed(),
            stops,
            cut);
    return new Batch(responses, versions);
  }

  private NDArray load(PolicyWeights weights, WeightPrecision precision) {
    Loaded wanted = new Loaded(weights.version(), precision);
    NDArray held = parameters.get(wanted);
    if (held != null) {
      return held;
    }
    if (parameters.size() == kept) {
      Map.Entry<Loaded, NDArray> eldest = parameters.entrySet().iterator().next();
      parameters.remove(eldest.getKey());
      eldest.getValue().close();
    }
    NDArray loaded = model.parameters(precision.round(model.layout(), weights.weights()));
    parameters.put(wanted, loaded);
    return loaded;
  }

  @Override
  public void close() {
    sampler.close();
    model.close(); // with the parameters
  }
}
