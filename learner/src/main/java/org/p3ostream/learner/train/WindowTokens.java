package org.p3ostream.learner.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.forward.BehaviorAudit;
import org.p3ostream.learner.forward.BehaviorFigures;
import org.p3ostream.learner.forward.TokenFigures;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * Per-token figures of a window as the forward passes give them, in group, response, token order,
 * [N]; and the sums over them. A sum is taken as replicas and context shards would take it: each
 * over its own tokens, then merged in the order of replicas and shards.
 */
final class WindowTokens {

  /** The tokens [from, to) of one micro-batch. */
  private record Part(int round, int replica, int from, int to) {}

  private final ContextShards contextShards;
  private final double[] logprobs; // [N]
  private final double[] behaviorLogprobs; // [N]
  private final double[] advantages; // [N]
  private final int[] sequences; // [N], row of the window
  private final int[] shards; // [N]
  private final long[] policyVersions; // [N]
  private final List<Part> parts = new ArrayList<>();
  private double @Nullable [] exactKl; // [N], as the four below once there is a figure
  private double @Nullable [] measuredKl;
  private double @Nullable [] entropies;
  private double @Nullable [] referenceLogprobs;
  private final BehaviorAudit audit = new BehaviorAudit();
  private @Nullable Long keptSetMismatches;
  private int filled;
  private int rows;
  private int replicas;

  WindowTokens(int validTokens, ContextShards contextShards) {
    this.contextShards = contextShards;
    logprobs = new double[validTokens];
    behaviorLogprobs = new double[validTokens];
    advantages = new double[validTokens];
    sequences = new int[validTokens];
    shards = new int[validTokens];
    policyVersions = new long[validTokens];
  }

  /** Appends what a replica found for its micro-batch of a round. */
  void append(int round, int replica, MicroBatch batch, TokenFigures figures) {
    int count = batch.validTokens();
    if (figures.logprobs.length != count) {
      throw new IllegalArgumentException(
          figures.logprobs.length + " log-probs for " + count + " tokens");
    }
    System.arraycopy(figures.logprobs, 0, logprobs, filled, count);
    System.arraycopy(batch.behaviorLogprobs, 0, behaviorLogprobs, filled, count);
    System.arraycopy(batch.advantages, 0, advantages, filled, count);
    System.arraycopy(batch.policyVersions, 0, policyVersions, filled, count);
    for (int n = 0; n < count; n++) {
      sequences[filled + n] = rows + batch.sequences[n];
      shards[filled + n] = contextShards.of(batch.column(n), batch.columns);
    }
    exactKl = appended(exactKl, figures.exactKl);
    measuredKl = appended(measuredKl, figures.behavior.kl());
    entropies = appended(entropies, figures.entropy);
    referenceLogprobs = appended(referenceLogprobs, figures.referenceLogprobs);
    append(batch, figures.behavior);
    parts.add(new Part(round, replica, filled, filled + count));
    filled += count;
    rows += batch.rows;
    replicas = Math.max(replicas, replica + 1);
  }

  private void append(MicroBatch batch, BehaviorFigures behavior) {
    double[] recomputed = behavior.logprobs(); // [n]
    if (recomputed != null) {
      for (int n = 0; n < recomputed.length; n++) {
        audit.add(batch.producerId(n), batch.behaviorLogprobs[n], recomputed[n]);
      }
    }
    Long mismatches = behavior.keptSetMismatches();
    if (mismatches != null) {
      keptSetMismatches = mismatches + (keptSetMismatches == null ? 0 : keptSetMismatches);
    }
  }

  private double @Nullable [] appended(double @Nullable [] before, double @Nullable [] figures) {
    if (figures == null) {
      return before;
    }
    double[] all = before == null ? new double[count()] : before;
    System.arraycopy(figures, 0, all, filled, figures.length);
    return all;
  }

  /** N. */
  int count() {
    return logprobs.length;
  }

  TokenBatch asBatch() {
    return asBatch(0, count());
  }

  /** The tokens of one round: they lie side by side. */
  TokenBatch ofRound(int round) {
    int[] bounds =
        parts.stream()
            .filter(part -> part.round == round)
            .flatMapToInt(part -> IntStream.of(part.from, part.to))
            .sorted()
            .toArray();
    return bounds.length == 0 ? asBatch(0, 0) : asBatch(bounds[0], bounds[bounds.length - 1]);
  }

  private TokenBatch asBatch(int from, int to) {
    TokenBatch batch =
        new TokenBatch(
                Arrays.copyOfRange(logprobs, from, to),
                Arrays.copyOfRange(behaviorLogprobs, from, to),
                Arrays.copyOfRange(advantages, from, to),
                allTrue(to - from))
            .withSequences(Arrays.copyOfRange(sequences, from, to));
    if (exactKl != null) {
      batch = batch.withExactKl(Arrays.copyOfRange(exactKl, from, to));
    }
    if (entropies != null) {
      batch = batch.withEntropies(Arrays.copyOfRange(entropies, from, to));
    }
    if (referenceLogprobs != null) {
      batch = batch.withReferenceLogprobs(Arrays.copyOfRange(referenceLogprobs, from, to));
    }
    return batch;
  }

  /**
   * KL(π_θ ‖ π_b) over the vocabulary, whether it is in the loss or only measured, nats, [N]; null
   * if it is neither.
   */
  double @Nullable [] kl() {
    return exactKl == null ? measuredKl : exactKl;
  }

  /** Tokens that their own filters would have removed; null if none was sampled with any. */
  @Nullable Long keptSetMismatches() {
    return keptSetMismatches;
  }

  /** Gaps of the recorded behaviour log-probs; empty without an audit. */
  List<BehaviorLogprobGap> behaviorLogprobGaps() {
    return audit.byProducer();
  }

  double logRatio(int n) {
    return logprobs[n] - behaviorLogprobs[n];
  }

  long policyVersion(int n) {
    return policyVersions[n];
  }

  /** Ratio statistics of the whole window. */
  RatioStatistics ratioStatistics() {
    return ratioStatistics(part -> true);
  }

  /** Ratio statistics of some rounds, over all replicas. */
  RatioStatistics ratioStatistics(int firstRound, int endRound) {
    return ratioStatistics(part -> part.round >= firstRound && part.round < endRound);
  }

  private RatioStatistics ratioStatistics(Predicate<Part> selected) {
    RatioStatistics pooled = RatioStatistics.EMPTY;
    for (int replica = 0; replica < replicas; replica++) {
      for (int shard = 0; shard < contextShards.count(); shard++) {
        double[] logRatios = logRatios(selected, replica, shard);
        pooled = pooled.merge(RatioStatistics.of(logRatios, allTrue(logRatios.length)));
      }
    }
    return pooled;
  }

  /** Mean over the window of a function of the log ratio. */
  double mean(DoubleUnaryOperator ofLogRatio) {
    double sum = 0;
    for (int replica = 0; replica < replicas; replica++) {
      for (int shard = 0; shard < contextShards.count(); shard++) {
        double partial = 0;
        for (double logRatio : logRatios(part -> true, replica, shard)) {
          partial += ofLogRatio.applyAsDouble(logRatio);
        }
        sum += partial;
      }
    }
    return sum / count();
  }

  /** Log ratios of one shard of one replica, in the order of its micro-batches. */
  private double[] logRatios(Predicate<Part> selected, int replica, int shard) {
    double[] logRatios = new double[filled];
    int count = 0;
    for (Part part : parts) {
      if (part.replica == replica && selected.test(part)) {
        for (int n = part.from; n < part.to; n++) {
          if (shards[n] == shard) {
            logRatios[count++] = logRatio(n);
          }
        }
      }
    }
    return Arrays.copyOf(logRatios, count);
  }

  /** Ratio statistics per version that sampled the tokens, ascending by version. */
  List<VersionRatioStatistics> ratioStatisticsByVersion() {
    Map<Long, boolean[]> masks = new TreeMap<>();
    for (int n = 0; n < policyVersions.length; n++) {
      masks.computeIfAbsent(policyVersions[n], version -> new boolean[count()])[n] = true;
    }
    double[] logRatios = asBatch().logRatios();
    return masks.entrySet().stream()
        .map(
            entry -> {
              RatioStatistics statistics = RatioStatistics.of(logRatios, entry.getValue());
              return VersionRatioStatistics.newBuilder()
                  .setPolicyVersion(entry.getKey())
                  .setLogSumRatio(statistics.logSumRatio())
                  .setLogSumSquaredRatio(statistics.logSumSquaredRatio())
                  .setTokenCount(statistics.tokenCount())
                  .build();
            })
        .toList();
  }

  private static boolean[] allTrue(int count) {
    boolean[] all = new boolean[count];
    Arrays.fill(all, true);
    return all;
  }
}
