package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.policy.model.CausalLm;

/**
 * The distributions that the tokens of a micro-batch were sampled from, recomputed: each token by
 * the weights of its own version, rounded as those that sampled it were, and by the temperature and
 * filters of its own response. Nothing here carries a graph. Confined to one thread.
 */
final class BehaviorPolicy {

  /** The model as it is: what raw log-probs are of. */
  private static final BehaviorSampling RAW = new BehaviorSampling(1, 0, 1, 0, null);

  /** Recomputed behaviour of one micro-batch. */
  static final class Recomputed {
    private final @Nullable NDArray logprobs; // [N, V]
    private final BehaviorFigures figures;

    private Recomputed(@Nullable NDArray logprobs, BehaviorFigures figures) {
      this.logprobs = logprobs;
      this.figures = figures;
    }

    /**
     * log π_b, float64, −∞ for tokens that are not kept, [N, V]; zeros in the rows that nothing
     * asks for. Null if nothing asks for any.
     */
    @Nullable NDArray logprobs() {
      return logprobs;
    }

    BehaviorFigures figures() {
      return figures;
    }
  }

  private final CausalLm model;
  private final TokenDistributions distributions;
  private final VersionTensors versions;
  private final ForwardSpec spec;

  /**
   * @param distributions stays the caller's to close
   * @param versions stays the caller's to close
   */
  BehaviorPolicy(
      CausalLm model, TokenDistributions distributions, VersionTensors versions, ForwardSpec spec) {
    this.model = model;
    this.distributions = distributions;
    this.versions = versions;
    this.spec = spec;
  }

  /**
   * Recomputes what {@link ForwardSpec} and the filters of the responses ask for.
   *
   * @throws BehaviorSnapshotMissingException if the snapshot of a version cannot be had
   */
  Recomputed of(MicroBatch batch) {
    Map<SampledBy, List<Integer>> byWeights = new TreeMap<>(); // tokens to recompute
    boolean takesDistributions = false;
    for (int n = 0; n < batch.validTokens(); n++) {
      boolean takesDistribution = takesDistribution(batch.sampling(n));
      takesDistributions |= takesDistribution;
      if (takesDistribution || spec.audit()) {
        byWeights.computeIfAbsent(SampledBy.token(batch, n), by -> new ArrayList<>()).add(n);
      }
    }
    if (byWeights.isEmpty()) {
      return new Recomputed(null, BehaviorFigures.NONE);
    }
    Pass pass = new Pass(batch, takesDistributions);
    byWeights.forEach(pass::recompute);
    return new Recomputed(
        pass.logprobs,
        new BehaviorFigures(
            spec.audit() ? pass.tokenLogprobs : null, pass.truncated ? pass.mismatches : null));
  }

  /** Whether anything but the audit needs the distribution of tokens sampled so. */
  private boolean takesDistribution(BehaviorSampling sampling) {
    return spec.exactKl() || (sampling.truncates() && !spec.rawLogprobs());
  }

  /** One micro-batch on its way. */
  private final class Pass {
    private final MicroBatch batch;
    private final NDManager manager = model.manager();
    private final @Nullable NDArray logprobs; // [N, V]
    private final double[] tokenLogprobs; // [N]
    private boolean truncated;
    private long mismatches;

    Pass(MicroBatch batch, boolean takesDistributions) {
      this.batch = batch;
      this.tokenLogprobs = new double[batch.validTokens()];
      this.logprobs =
          takesDistributions
              ? manager.zeros(
                  new Shape(batch.validTokens(), model.config().vocabSize()), DataType.FLOAT64)
              : null;
    }

    /** Tokens [n] of the same weights: one forward pass over the rows they lie in. */
    void recompute(SampledBy weights, List<Integer> tokens) {
      int[] rows = tokens.stream().mapToInt(n -> batch.sequences[n]).distinct().toArray();
      Map<BehaviorSampling, List<Integer>> bySampling = new LinkedHashMap<>(); // of tokens
      for (int i = 0; i < tokens.size(); i++) {
        bySampling
            .computeIfAbsent(batch.sampling(tokens.get(i)), sampling -> new ArrayList<>())
            .add(i);
      }
      try (NDArray logits = logits(weights, tokens, rows)) { // [n, V]
        bySampling.forEach(
            (sampling, places) -> {
              List<Integer> own = places.stream().map(tokens::get).toList();
              if (own.size() == tokens.size()) {
                recompute(logits, own, sampling);
                return;
              }
              try (NDArray indices = manager.create(longs(places)); // [m]
                  NDArray rowsOfOwn = logits.get(indices)) { // [m, V]
                recompute(rowsOfOwn, own, sampling);
              }
            });
      }
    }

    private NDArray logits(SampledBy weights, List<Integer> tokens, int[] rows) {
      long[] ids = new long[rows.length * batch.columns];
      Map<Integer, Integer> places = new LinkedHashMap<>();
      for (int r = 0; r < rows.length; r++) {
        places.put(rows[r], r);
        System.arraycopy(batch.ids, rows[r] * batch.columns, ids, r * batch.columns, batch.columns);
      }
      long[] positions = new long[tokens.size()];
      for (int i = 0; i < positions.length; i++) {
        int n = tokens.get(i);
        int row = batch.sequences[n];
        positions[i] =
            batch.positions[n] + (long) (places.getOrDefault(row, row) - row) * batch.columns;
      }
      try (NDArray idArray = manager.create(ids, new Shape(rows.length, batch.columns)); // [B', T]
          NDArray positionArray = manager.create(positions)) { // [n]
        return model.tokenLogits(versions.of(weights), idArray, positionArray); // [n, V]
      }
    }

    /** Tokens [m] of the same weights and one way of sampling. */
    private void recompute(NDArray logits, List<Integer> tokens, BehaviorSampling sampling) {
      long[] targets = tokens.stream().mapToLong(n -> batch.targets[n]).toArray();
      try (NDArray targetArray = manager.create(targets); // [m]
          NDArray tokenArray = manager.create(longs(tokens)); // [m]
          NDList behavior = distributions.behavior(logits, targetArray, sampling)) {
        if (logprobs != null && takesDistribution(sampling)) {
          distributions.place(logprobs, tokenArray, behavior.get(0));
        }
        if (sampling.truncates()) {
          truncated = true;
          mismatches += behavior.get(2).getLong();
        }
        keep(tokens, spec.rawLogprobs() ? raw(logits, targetArray) : logprobs(behavior));
      }
    }

    private double[] logprobs(NDList behavior) {
      return behavior.get(1).toDoubleArray();
    }

    private double[] raw(NDArray logits, NDArray targets) {
      try (NDList raw = distributions.behavior(logits, targets, RAW)) {
        return logprobs(raw);
      }
    }

    private void keep(List<Integer> tokens, double[] values) {
      for (int i = 0; i < values.length; i++) {
        tokenLogprobs[tokens.get(i)] = values[i];
      }
    }
  }

  private static long[] longs(List<Integer> values) {
    return values.stream().mapToLong(Integer::longValue).toArray();
  }
}
