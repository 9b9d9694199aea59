package org.p3ostream.policy.sampling;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.DecoderScript;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * Samples responses in one batch of a fixed number of rows, with a key-value cache. Prompt, decode
 * loop and sampling are one call into the engine.
 */
public final class Sampler implements AutoCloseable {

  /** Random bits of one uniform number; see {@link #uniforms}. */
  private static final int UNIFORM_BITS = 52;

  private final ModelConfig config;
  private final int parameterCount;
  private final NDManager manager;
  private final ScriptModule script;

  /** A sampler that is closed with its model or before. */
  public Sampler(CausalLm model) {
    this.config = model.config();
    this.parameterCount = model.layout().size();
    this.manager = model.manager().newSubManager();
    this.script =
        ScriptModule.compile(
            manager,
            DecoderScript.with(config, model.dtype(), Sampler.class, "sampler.torchscript"));
  }

  /**
   * Samples {@code count} responses to one prompt. The same arguments and weights give the same
   * bits on the same hardware and number of threads. To be called with grad mode off.
   *
   * @param parameters weights to sample with, [P]
   * @param promptTokens [T], not empty
   * @param count rows of the batch; the result for a seed depends on it
   * @param seed all random numbers of this call are a function of it
   */
  public List<SampledResponse> sample(
      NDArray parameters, int[] promptTokens, int count, SamplingParameters sampling, long seed) {
    requireFits(parameters, promptTokens, count, sampling);
    int limit = sampling.maxResponseTokens();
    try (NDManager call = manager.newSubManager()) {
      long[] prompt = Arrays.stream(promptTokens).asLongStream().toArray();
      NDList sampled =
          script.call(
              "sample",
              call.create(prompt, new Shape(1, prompt.length)), // [1, T]
              parameters, // [P]
              call.create(uniforms(limit * count, seed), new Shape(limit, count, 1)), // [S, R, 1]
              call.create(sampling.temperature()),
              call.create(sampling.topK()),
              call.create(sampling.topP()));
      long[] tokens = sampled.get(0).toLongArray(); // [S', R], row-major
      double[] logprobs = sampled.get(1).toDoubleArray(); // [S', R]
      List<SampledResponse> responses = new ArrayList<>(count);
      for (int row = 0; row < count; row++) {
        responses.add(response(tokens, logprobs, row, count));
      }
      return responses;
    }
  }

  @Override
  public void close() {
    script.close();
    manager.close();
  }

  /** Row {@code row} up to and including its end-of-sequence token. */
  private SampledResponse response(long[] tokens, double[] logprobs, int row, int rows) {
    int steps = tokens.length / rows;
    int length = 0;
    boolean stopped = false;
    while (length < steps && !stopped) {
      stopped = tokens[length * rows + row] == config.eosTokenId();
      length++;
    }
    int[] rowTokens = new int[length];
    float[] rowLogprobs = new float[length];
    for (int t = 0; t < length; t++) {
      rowTokens[t] = Math.toIntExact(tokens[t * rows + row]);
      rowLogprobs[t] = (float) logprobs[t * rows + row];
    }
    return new SampledResponse(
        rowTokens,
        rowLogprobs,
        stopped ? SampledResponse.Finish.STOP : SampledResponse.Finish.LENGTH);
  }

  /**
   * Multiples of 2^-52 in [0, 1). With one bit less than a double holds, the product with a
   * cumulative total in float64 is always below the total, so that the inverse of the cumulative
   * distribution never runs past the last token.
   */
  private static double[] uniforms(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] uniforms = new double[count];
    for (int i = 0; i < count; i++) {
      uniforms[i] = (random.nextLong() >>> (Long.SIZE - UNIFORM_BITS)) * 0x1p-52;
    }
    return uniforms;
  }

  private void requireFits(
      NDArray parameters, int[] promptTokens, int count, SamplingParameters sampling) {
    if (!parameters.getShape().equals(new Shape(parameterCount))) {
      throw new IllegalArgumentException(
          "parameters must be [" + parameterCount + "], are " + parameters.getShape());
    }
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + " must be >= 1");
    }
    if (promptTokens.length == 0) {
      throw new IllegalArgumentException("the prompt has no token");
    }
    for (int token : promptTokens) {
      if (token < 0 || token >= config.vocabSize()) {
        throw new IllegalArgumentException(
            "prompt token " + token + " is outside the vocabulary of " + config.vocabSize());
      }
    }
    long longest = (long) promptTokens.length + sampling.maxResponseTokens();
    if (longest > config.maxPositions()) {
      throw new IllegalArgumentException(
          promptTokens.length
              + " prompt and "
              + sampling.maxResponseTokens()
              + " response tokens are more than the model's "
              + config.maxPositions()
              + " positions");
    }
  }
}
