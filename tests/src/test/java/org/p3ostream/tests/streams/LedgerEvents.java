package org.p3ostream.tests.streams;

import java.util.List;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.serde.RecordTypes;

/** Ledger events of a run that learns, so that its plots look like some. */
public final class LedgerEvents {
  static final String RUN = "run-it";

  static {
    RecordTypes.schemas(); // lets Avro copy records before any codec was made
  }

  private LedgerEvents() {}

  /** The event that opens the run. */
  public static StepEvent.Builder genesis(long committedAt) {
    return event(StepKind.GENESIS, -1, committedAt)
        .setConfiguration("{\"algorithm\":{\"name\":\"p3o\"}}")
        .setScheduleSteps(150L);
  }

  /** A step with a report, without groups. */
  public static StepEvent.Builder step(long step, long committedAt) {
    return event(StepKind.STEP, step, committedAt)
        .setMetrics(metrics(step))
        .setRatioStatistics(List.of(new VersionRatioStatistics(step, 0.0, 0.0, 540 + step % 7)));
  }

  private static StepEvent.Builder event(StepKind kind, long step, long committedAt) {
    long before = Math.max(0, step);
    return StepEvent.newBuilder()
        .setKind(kind)
        .setRunId(RUN)
        .setStep(step)
        .setPolicyVersionBefore(before)
        .setPolicyVersionAfter(kind == StepKind.STEP ? before + 1 : before)
        .setWindow(List.of())
        .setSkipped(List.of())
        .setProgress(List.of())
        .setDispatched(List.of())
        .setAlgorithm("p3o/step/proxy")
        .setRatioStatistics(List.of())
        .setWeightsSha256("00".repeat(32))
        .setConfigHash("11".repeat(32))
        .setPreviousEventHash("")
        .setPhases(
            new PhaseDurations(
                55.0 + wave(step, 40),
                25.0,
                31.0 + wave(step + 3, 8),
                0.5,
                27.0,
                step % 20 == 0 ? 30.0 : 0.0))
        .setLearnerEpoch(1)
        .setCommittedAt(committedAt);
  }

  private static StepMetrics metrics(long step) {
    double left = Math.exp(-step / 40.0);
    double ess = 1 - 0.05 * left * (1 + wave(step, 1)) - (step % 61 == 26 ? 0.2 : 0);
    return StepMetrics.newBuilder()
        .setRewardMean(0.97 - 0.7 * left + wave(step, 0.03))
        .setRewardStd(0.5)
        .setValidTokens(540 + step % 7)
        .setResponseLengthMean(9)
        .setTruncatedFraction(0)
        .setLoss(0.1)
        .setPolicyLoss(0.1)
        .setNormalizedEss(ess)
        .setAdaptiveCap(ess)
        .setRatioMean(1 + wave(step, 0.01))
        .setRatioStd(0.1)
        .setRatioMax(1.2 + (step % 61 == 26 ? 9 : left))
        .setCapFraction(0.1)
        .setRatioAboveOneFraction(0.5)
        .setBehaviorKlProxyMean(step == 0 ? 0 : 1e-6 + 0.01 * left * left * left)
        .setBehaviorKlProxyMax(0.02)
        .setAdaptiveKlLossMean(0.001)
        .setGradNorm(0.6 + wave(step, 0.3))
        .setLearningRate(0.001)
        .setStalenessMin(0)
        .setStalenessMean(step == 0 ? 0 : 0.9)
        .setStalenessP95(1)
        .setStalenessMax(step == 0 ? 0 : 1 + step % 30 / 29)
        .setAgeMeanSeconds(0.1)
        .setAgeGenerationSeconds(0.04 + wave(step, 0.005))
        .setAgeQueueSeconds(0.06 + wave(step + 1, 0.02))
        .setAgeHoldBackSeconds(0.01)
        .setLagWindows((int) (step % 3))
        .setMicroBatches(1)
        .build();
  }

  private static double wave(long step, double height) {
    return height * Math.sin(step * 1.7);
  }
}
