package org.p3ostream.policy.sampling;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.DecoderScript;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * Samples responses in one batch of a fixed number of rows, with a key-value cache. The prompt is
 * one call into the engine, then every {@value #STEPS_PER_CALL} tokens are one; between calls
 * sampling can be cut short, and weights can be exchanged. A token is the same whatever call it
 * falls into, whatever comes after it, and whatever became of the other rows.
 */
public final class Sampler implements AutoCloseable {

  /** Tokens sampled between two looks at the outside world. */
  private static final int STEPS_PER_CALL = 16;

  /** Random bits of one uniform number; see {@link #uniforms}. */
  private static final int UNIFORM_BITS = 52;

  /** How arrays are named that the engine is to take as one list. */
  private static final String CACHES = "caches[]";

  private final ModelConfig config;
  private final int stepsPerCall;
  private final RecordedLogprob recorded;
  private final int parameterCount;
  private final NDManager manager;
  private final ScriptModule script;

  /**
   * A sampler that is closed with its model or before, and that records the log-probs of what it
   * draws from.
   */
  public Sampler(CausalLm model) {
    this(model, STEPS_PER_CALL, RecordedLogprob.SAMPLING);
  }

  /** The same with other log-probs. */
  public Sampler(CausalLm model, RecordedLogprob recorded) {
    this(model, STEPS_PER_CALL, recorded);
  }

  /**
   * The same with as many tokens as the caller wants sampled between two looks at the outside
   * world.
   *
   * @param stepsPerCall ≥ 1; fewer cost more calls
   */
  public Sampler(CausalLm model, int stepsPerCall, RecordedLogprob recorded) {
    this.config = model.config();
    this.stepsPerCall = stepsPerCall;
    this.recorded = recorded;
    this.parameterCount = model.layout().size();
    this.manager = model.manager().newSubManager();
    this.script =
        ScriptModule.compile(
            manager,
            DecoderScript.with(config, model.dtype(), Sampler.class, "sampler.torchscript")
                + "\n"
                + SamplingDistribution.script());
  }

  /**
   * As {@link #sample(Supplier, int[], int, SamplingParameters, long, StopStrings,
   * BooleanSupplier)}, by the same weights and to the end.
   */
  public List<SampledResponse> sample(
      NDArray parameters, int[] promptTokens, int count, SamplingParameters sampling, long seed) {
    return sample(
        () -> parameters, promptTokens, count, sampling, seed, StopStrings.none(), () -> false);
  }

  /**
   * Samples {@code count} responses to one prompt. The same arguments and weights give the same
   * bits on the same hardware and number of threads, up to where sampling is cut. To be called with
   * grad mode off.
   *
   * <p>Weights may be exchanged between calls: where {@code parameters} gives another array than
   * before, all keys and values so far are computed again by the new weights, so that each token's
   * log-prob is that of a pass of its own weights over everything before it. The array of before is
   * not used any more.
   *
   * @param parameters weights to sample with, [P]; asked before the first token, and then from time
   *     to time
   * @param promptTokens [T], not empty
   * @param count rows of the batch; the result for a seed depends on it
   * @param seed all random numbers of this call are a function of it
   * @param stops texts that end a response
   * @param cut asked from time to time while a response is unfinished, at the earliest when each
   *     has a token; once it says true, the unfinished ones are left as they are and marked ABORTED
   * @return in the order of rows, [count]
   */
  public List<SampledResponse> sample(
      Supplier<NDArray> parameters,
      int[] promptTokens,
      int count,
      SamplingParameters sampling,
      long seed,
      StopStrings stops,
      BooleanSupplier cut) {
    try (NDManager group = manager.newSubManager()) {
      return sample(group, parameters, promptTokens, count, sampling, seed, stops, cut);
    }
  }

  /**
   * The same.
   *
   * @param group holds what lasts from call to call: caches, logits and which rows have finished.
   *     Everything else is closed with the call that it belongs to, so that memory does not grow
   *     with the length of the responses
   */
  List<SampledResponse> sample(
      NDManager group,
      Supplier<NDArray> parameters,
      int[] promptTokens,
      int count,
      SamplingParameters sampling,
      long seed,
      StopStrings stops,
      BooleanSupplier cut) {
    NDArray weights = parameters.get(); // [P]
    requireFits(weights, promptTokens, count, sampling);
    int limit = sampling.maxResponseTokens();
    List<ResponseRow> rows =
        Stream.generate(() -> new ResponseRow(limit, config.eosTokenId(), stops))
            .limit(count)
            .toList();
    SplittableRandom random = new SplittableRandom(seed);
    int capacity = promptTokens.length + limit;
    long[][] sampled = new long[limit][]; // by token, [R]
    long[] prompt = Arrays.stream(promptTokens).asLongStream().toArray();
    NDList state = prefill(group, new long[][] {prompt}, weights, count, capacity);
    NDArray logits = state.head(); // [R, V]
    NDList caches = caches(state);
    NDArray finished = group.zeros(new Shape(count, 1), DataType.BOOLEAN); // [R, 1]
    for (int done = 0; done < limit; ) {
      NDArray newest = done == 0 ? weights : parameters.get(); // [P]
      if (newest != weights) {
        weights = newest;
        caches.close();
        logits.close();
        long[][] soFar = sequences(promptTokens, sampled, done, count); // [R, T]
        state = prefill(group, soFar, weights, count, capacity);
        logits = state.head();
        caches = caches(state);
        rows.forEach(ResponseRow::exchanged);
      }
      try (NDManager call = group.newSubManager()) {
        logits.attach(call); // results attach to the manager of the first argument
        finished.attach(call);
        int steps = Math.min(stepsPerCall, limit - done);
        NDList arguments = new NDList(logits, weights).addAll(caches);
        arguments.add(finished);
        arguments.add(call.create(uniforms(steps * count, random), new Shape(steps, count, 1)));
        arguments.add(call.create(promptTokens.length + done));
        arguments.add(call.create(sampling.temperature()));
        arguments.add(call.create(sampling.topK()));
        arguments.add(call.create(sampling.topP()));
        arguments.add(call.create(sampling.minP()));
        arguments.add(call.create(recorded == RecordedLogprob.RAW));
        NDList decoded = script.call("decode", arguments.toArray(NDArray[]::new));
        append(decoded, rows, sampled, done);
        logits = decoded.get(2);
        logits.attach(group);
        finished = decoded.get(3);
        finished.attach(group);
        done += steps;
      }
      if (rows.stream().allMatch(ResponseRow::hasEnded) || cut.getAsBoolean()) {
        break;
      }
    }
    return rows.stream().map(ResponseRow::response).toList();
  }

  /**
   * The next logits and the caches.
   *
   * @param group holds them from then on
   * @param sequences what there is so far: of every row, [R, T], or the same for all, [1, T]
   */
  private NDList prefill(
      NDManager group, long[][] sequences, NDArray parameters, int count, int capacity) {
    try (NDManager call = group.newSubManager()) {
      NDList state =
          script.call(
              "prefill",
              call.create(sequences),
              parameters,
              call.create(count),
              call.create(capacity));
      state.attach(group);
      return state;
    }
  }

  /** Of layer after layer, keys and values, [R, NKV, C, D] each. */
  private static NDList caches(NDList state) {
    NDList caches = state.subNDList(1);
    caches.forEach(cache -> cache.setName(CACHES));
    return caches;
  }

  /** The prompt and the first {@code done} tokens, [R, T], what follows a row's end included. */
  private static long[][] sequences(int[] promptTokens, long[][] sampled, int done, int count) {
    long[][] sequences = new long[count][promptTokens.length + done];
    for (int row = 0; row < count; row++) {
      for (int t = 0; t < sequences[row].length; t++) {
        int response = t - promptTokens.length;
        sequences[row][t] = response < 0 ? promptTokens[t] : sampled[response][row];
      }
    }
    return sequences;
  }

  private static void append(NDList decoded, List<ResponseRow> rows, long[][] sampled, int done) {
    long[] tokens = decoded.get(0).toLongArray(); // [S', R], row-major
    double[] logprobs = decoded.get(1).toDoubleArray(); // [S', R]
    for (int i = 0; i < tokens.length; i++) {
      rows.get(i % rows.size()).append(Math.toIntExact(tokens[i]), (float) logprobs[i]);
    }
    for (int step = 0; step * rows.size() < tokens.length; step++) {
      int from = step * rows.size();
      sampled[done + step] = Arrays.copyOfRange(tokens, from, from + rows.size());
    }
  }

  @Override
  public void close() {
    script.close();
    manager.close();
  }

  /**
   * Multiples of 2^-52 in [0, 1). With one bit less than a double holds, the product with a
   * cumulative total in float64 is always below the total, so that the inverse of the cumulative
   * distribution never runs past the last token.
   */
  private static double[] uniforms(int count, SplittableRandom random) {
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
