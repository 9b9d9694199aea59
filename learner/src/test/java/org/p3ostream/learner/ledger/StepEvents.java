package org.p3ostream.learner.ledger;

import java.util.List;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.serde.RecordTypes;

/** Step events for tests of what reads the ledger. */
public final class StepEvents {

  public static final String RUN_ID = "run-a";

  static {
    RecordTypes.schemas(); // declares the generated classes trusted, which copying builders need
  }

  private StepEvents() {}

  /** An event that leaves the version where it is. */
  public static StepEvent.Builder event(
      StepKind kind, long step, long version, String previousEventHash) {
    return StepEvent.newBuilder()
        .setKind(kind)
        .setRunId(RUN_ID)
        .setStep(step)
        .setPolicyVersionBefore(version)
        .setPolicyVersionAfter(version)
        .setWindow(List.of())
        .setSkipped(List.of())
        .setProgress(List.of())
        .setDispatched(List.of())
        .setRatioStatistics(List.of())
        .setAlgorithm("p3o/step/proxy")
        .setWeightsSha256("weights-" + version)
        .setConfigHash("config")
        .setPreviousEventHash(previousEventHash)
        .setPhases(new PhaseDurations(0d, 0d, 0d, 0d, 0d, 0d))
        .setLearnerEpoch(1)
        .setCommittedAt(0);
  }

  /** Groups {@code from} to {@code to} − 1, first attempts. */
  public static List<DispatchedGroup> dispatched(long from, long to) {
    return java.util.stream.LongStream.range(from, to)
        .mapToObj(groupId -> new DispatchedGroup(groupId, 0, null))
        .toList();
  }

  /** Metrics of a step. */
  public static StepMetrics.Builder metrics() {
    return StepMetrics.newBuilder()
        .setRewardMean(0.5)
        .setRewardStd(0.5)
        .setValidTokens(7)
        .setResponseLengthMean(3.5)
        .setTruncatedFraction(0)
        .setLoss(0.1)
        .setPolicyLoss(0.1)
        .setNormalizedEss(0.9)
        .setRatioMean(1)
        .setRatioStd(0.1)
        .setRatioMax(1.5)
        .setRatioAboveOneFraction(0.5)
        .setBehaviorKlProxyMean(0.01)
        .setBehaviorKlProxyMax(0.02)
        .setAdaptiveKlLossMean(0)
        .setGradNorm(1)
        .setLearningRate(1e-3)
        .setStalenessMin(1)
        .setStalenessMean(1)
        .setStalenessP95(1)
        .setStalenessMax(1)
        .setAgeMeanSeconds(0.5)
        .setMicroBatches(1);
  }
}
