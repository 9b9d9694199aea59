package org.p3ostream.streams.live;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.metric.Metric;

/**
 * A trained or passed window as {@code /api/steps} shows it.
 *
 * @param kind STEP or NO_OP
 * @param policyVersion version after the step
 * @param groups groups of the window
 * @param skipped records passed over since the step before, those of interim events included
 * @param stepMillis time from the commit of the window before, or of GENESIS, to this one; null if
 *     that event was not seen
 * @param training the learner's report; null for NO_OP
 * @param weightsSha256 digest of the weights after the step, hexadecimal
 * @param committedAt when the event was prepared, milliseconds since the epoch
 */
public record StepView(
    long step,
    String kind,
    long policyVersion,
    int groups,
    int skipped,
    @Nullable Long stepMillis,
    String algorithm,
    @Nullable Training training,
    String weightsSha256,
    Phases phases,
    long learnerEpoch,
    long committedAt) {

  /**
   * Units as in {@code StepMetrics}: staleness in policy versions per token, age in seconds.
   *
   * @param behaviorKlExactMean null unless the KL is taken over the whole vocabulary
   * @param behaviorLogprobGapMean largest over producers, nats; null without an audit
   * @param stalenessP50 null in events from before it was recorded
   * @param lagWindows null in a fork and in events from before it was recorded, as the ages below
   */
  public record Training(
      double rewardMean,
      double rewardStd,
      double normalizedEss,
      @Nullable Double adaptiveCap,
      double ratioMean,
      double ratioStd,
      double ratioMax,
      double behaviorKlProxyMean,
      @Nullable Double behaviorKlExactMean,
      @Nullable Double behaviorLogprobGapMean,
      double loss,
      double gradNorm,
      double learningRate,
      long stalenessMin,
      double stalenessMean,
      @Nullable Long stalenessP50,
      long stalenessP95,
      long stalenessMax,
      @Nullable Integer lagWindows,
      double ageMeanSeconds,
      @Nullable Double ageGenerationSeconds,
      @Nullable Double ageQueueSeconds,
      @Nullable Double ageHoldBackSeconds,
      long validTokens,
      double responseLengthMean,
      double truncatedFraction) {

    static Training of(StepMetrics metrics) {
      return new Training(
          metrics.getRewardMean(),
          metrics.getRewardStd(),
          metrics.getNormalizedEss(),
          metrics.getAdaptiveCap(),
          metrics.getRatioMean(),
          metrics.getRatioStd(),
          metrics.getRatioMax(),
          metrics.getBehaviorKlProxyMean(),
          metrics.getBehaviorKlExactMean(),
          Metric.BEHAVIOR_LOGPROB_GAP_MEAN.read(metrics).orElse(null),
          metrics.getLoss(),
          metrics.getGradNorm(),
          metrics.getLearningRate(),
          metrics.getStalenessMin(),
          metrics.getStalenessMean(),
          metrics.getStalenessP50(),
          metrics.getStalenessP95(),
          metrics.getStalenessMax(),
          metrics.getLagWindows(),
          metrics.getAgeMeanSeconds(),
          metrics.getAgeGenerationSeconds(),
          metrics.getAgeQueueSeconds(),
          metrics.getAgeHoldBackSeconds(),
          metrics.getValidTokens(),
          metrics.getResponseLengthMean(),
          metrics.getTruncatedFraction());
    }
  }

  /** Milliseconds; see {@code PhaseDurations}. */
  public record Phases(
      double waitMillis,
      double prePassMillis,
      double updateMillis,
      double encodeMillis,
      double previousCommitMillis,
      double previousCheckpointMillis) {

    static Phases of(PhaseDurations phases) {
      return new Phases(
          phases.getWaitMillis(),
          phases.getPrePassMillis(),
          phases.getUpdateMillis(),
          phases.getEncodeMillis(),
          phases.getPreviousCommitMillis(),
          phases.getPreviousCheckpointMillis());
    }
  }

  /**
   * @param skipped records passed over since the step before
   * @param previousAt when the window before or GENESIS was committed; null if unknown
   */
  static StepView of(StepEvent event, int skipped, @Nullable Long previousAt) {
    StepMetrics metrics = event.getMetrics();
    return new StepView(
        event.getStep(),
        event.getKind().name(),
        event.getPolicyVersionAfter(),
        event.getWindow().size(),
        skipped,
        previousAt == null ? null : event.getCommittedAt() - previousAt,
        event.getAlgorithm(),
        metrics == null ? null : Training.of(metrics),
        event.getWeightsSha256(),
        Phases.of(event.getPhases()),
        event.getLearnerEpoch(),
        event.getCommittedAt());
  }
}
