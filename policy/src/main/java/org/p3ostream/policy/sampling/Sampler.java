package org.p3ostream.policy.sampling;

import ai.djl.ndarray.NDArray;
import java.util.List;
import org.p3ostream.policy.model.CausalLm;

/** Samples responses in one batch of a fixed number of rows, with a key-value cache. */
public final class Sampler {

  public Sampler(CausalLm model) {
    throw new UnsupportedOperationException("not built yet" + model);
  }

  /**
   * Samples {@code count} responses to one prompt.
   *
   * @param parameters weights to sample with, [P]
   * @param promptTokens [T], not empty
   * @param count rows of the batch; the result for a seed depends on it
   * @param seed all random numbers of this call are a function of it
   */
  public List<SampledResponse> sample(
      NDArray parameters, int[] promptTokens, int count, SamplingParameters sampling, long seed) {
    throw new UnsupportedOperationException(
        "not built yet" + parameters + promptTokens.length + count + sampling + seed);
  }
}
