package org.p3ostream.deploy.progress;

import java.util.List;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.serde.RecordTypes;

/** Ledger events with the figures a test is about. */
public final class LedgerFixtures {

  static {
    RecordTypes.schemas(); // lets Avro copy records before any codec was made
  }

  private LedgerFixtures() {}

  /** The event that opens a run. */
  public static StepEvent genesis(long committedAt) {
    return event(StepKind.GENESIS, -1, 0, committedAt).build();
  }

  /** A window without a valid token. */
  public static StepEvent noOp(long step, long version, long committedAt) {
    return event(StepKind.NO_OP, step, version, committedAt).build();
  }

  /** A window waited for. */
  public static StepEvent interim(long step, long version, long committedAt) {
    return event(StepKind.INTERIM, step, version, committedAt).build();
  }

  /** A trained window; staleness is the same for all its tokens. */
  public static StepEvent step(
      long step,
      long version,
      long committedAt,
      double reward,
      double ess,
      long staleness,
      long tokens) {
    return event(StepKind.STEP, step, version, committedAt)
        .setMetrics(metrics(reward, ess, staleness, tokens))
        .build();
  }

  /** A live change, recorded between two steps. */
  public static StepEvent control(long step, long version, long committedAt) {
    return event(StepKind.CONTROL, step, version, committedAt).build();
  }

  /** The same event, of a learner that took over. */
  public static StepEvent ofLearner(long epoch, StepEvent event) {
    return StepEvent.newBuilder(event).setLearnerEpoch(epoch).build();
  }

  private static StepEvent.Builder event(
      StepKind kind, long step, long versionAfter, long committedAt) {
    return StepEvent.newBuilder()
        .setKind(kind)
        .setRunId("demo")
        .setStep(step)
        .setPolicyVersionBefore(versionAfter)
        .setPolicyVersionAfter(versionAfter)
        .setWindow(List.of())
        .setSkipped(List.of())
        .setProgress(List.of())
        .setDispatched(List.of())
        .setAlgorithm("p3o/step/proxy")
        .setRatioStatistics(List.of())
        .setWeightsSha256("sha-" + versionAfter)
        .setConfigHash("config")
        .setPreviousEventHash("")
        .setPhases(
            PhaseDurations.newBuilder()
                .setWaitMillis(10.0 * (step + 1))
                .setPrePassMillis(2)
                .setUpdateMillis(3)
                .setEncodeMillis(4)
                .setPreviousCommitMillis(5)
                .setPreviousCheckpointMillis(6)
                .build())
        .setLearnerEpoch(0)
        .setCommittedAt(committedAt);
  }

  private static StepMetrics metrics(double reward, double ess, long staleness, long tokens) {
    return StepMetrics.newBuilder()
        .setRewardMean(reward)
        .setRewardStd(0)
        .setValidTokens(tokens)
        .setResponseLengthMean(9)
        .setTruncatedFraction(0)
        .setLoss(0)
        .setPolicyLoss(0)
        .setNormalizedEss(ess)
        .setAdaptiveCap(ess)
        .setRatioMean(1)
        .setRatioStd(0)
        .setRatioMax(1)
        .setRatioAboveOneFraction(0)
        .setBehaviorKlProxyMean(0)
        .setBehaviorKlProxyMax(0)
        .setAdaptiveKlLossMean(0)
        .setGradNorm(1)
        .setLearningRate(1e-3)
        .setStalenessMin(staleness)
        .setStalenessMean((double) staleness)
        .setStalenessP95(staleness)
        .setStalenessMax(staleness)
        .setAgeMeanSeconds(1)
        .setMicroBatches(1)
        .build();
  }
}
