package org.p3ostream.rolloutproducer.generation;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.policy.sampling.StopStrings;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/**
 * The policy in float32, with the tensor of the weights used last, rounded to the precision that
 * was asked for. Confined to one thread.
 */
public final class PolicySampler implements AutoCloseable {

  private final CausalLm model;
  private final Sampler sampler;
  private @Nullable NDArray parameters; // [P]
  private long loadedVersion;
  private WeightPrecision loadedPrecision = WeightPrecision.FLOAT32;

  public PolicySampler(ModelConfig config, Device device) {
    model = new CausalLm(config, device, DataType.FLOAT32);
    sampler = new Sampler(model);
  }

  /**
   * Samples one batch of exactly {@code count} rows.
   *
   * @param precision what {@code weights} are rounded to before
   * @param promptTokens [T], not empty
   * @param seed all random numbers are a function of it
   * @param stops texts that end a response
   * @param cut asked while sampling: once true, unfinished responses are left as they are
   */
  public List<SampledResponse> sample(
      PolicyWeights weights,
      WeightPrecision precision,
      int[] promptTokens,
      int count,
      SamplingParameters sampling,
      long seed,
      StopStrings stops,
      BooleanSupplier cut) {
    return sampler.sample(
        load(weights, precision), promptTokens, count, sampling, seed, stops, cut);
  }

  private NDArray load(PolicyWeights weights, WeightPrecision precision) {
    NDArray held = parameters;
    if (held != null && loadedVersion == weights.version() && loadedPrecision == precision) {
      return held;
    }
    if (held != null) {
      parameters = null;
      held.close();
    }
    NDArray loaded = model.parameters(precision.round(model.layout(), weights.weights()));
    parameters = loaded;
    loadedVersion = weights.version();
    loadedPrecision = precision;
    return loaded;
  }

  @Override
  public void close() {
    sampler.close();
    model.close(); // with the parameters
  }
}
