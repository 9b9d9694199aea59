package org.p3ostream.learner.train;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** Per-token figures of a whole window after the pre-pass, in group, response, token order, [N]. */
final class WindowTokens {
  private final double[] logprobs; // [N]
  private final double[] behaviorLogprobs; // [N]
  private final double[] advantages; // [N]
  private final long[] policyVersions; // [N]
  private final boolean[] all; // [N], true
  private int filled;

  WindowTokens(int validTokens) {
    logprobs = new double[validTokens];
    behaviorLogprobs = new double[validTokens];
    advantages = new double[validTokens];
    policyVersions = new long[validTokens];
    all = new boolean[validTokens];
    java.util.Arrays.fill(all, true);
  }

  /** Appends a micro-batch with its policy log-probs, [n]. */
  void append(MicroBatch batch, float[] policyLogprobs) {
    for (int i = 0; i < policyLogprobs.length; i++) {
      logprobs[filled + i] = policyLogprobs[i];
    }
    System.arraycopy(
        batch.behaviorLogprobs, 0, behaviorLogprobs, filled, batch.behaviorLogprobs.length);
    System.arraycopy(batch.advantages, 0, advantages, filled, batch.advantages.length);
    System.arraycopy(batch.policyVersions, 0, policyVersions, filled, batch.policyVersions.length);
    filled += policyLogprobs.length;
  }

  int count() {
    return logprobs.length;
  }

  TokenBatch asBatch() {
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, all);
  }

  double logRatio(int n) {
    return logprobs[n] - behaviorLogprobs[n];
  }

  long policyVersion(int n) {
    return policyVersions[n];
  }

  /** Ratio statistics of the whole window. */
  RatioStatistics ratioStatistics() {
    return RatioStatistics.of(asBatch().logRatios(), all);
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
}
