package org.p3ostream.schemas.golden;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.ParameterSlice;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SamplingRequest;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.avro.WindowEntry;

/** One record of every type with no field at its default, zero or empty. */
public final class RecordSamples {

  private RecordSamples() {}

  public static List<SpecificRecord> all() {
    return List.of(
        promptTask(),
        rolloutGroup(),
        snapshotChunk(),
        snapshotManifest(),
        stepEvent(),
        metricPoint(),
        deadLetter());
  }

  public static MetricPoint metricPoint() {
    return MetricPoint.newBuilder()
        .setRunId("run-7")
        .setName("staleness.mean")
        .setStep(12)
        .setValue(1.5)
        .setUnit("versions")
        .setLabels(sorted("partition", "3", "producer", "p-1"))
        .setEventTime(1_780_000_000_123L)
        .build();
  }

  public static PromptTask promptTask() {
    return PromptTask.newBuilder()
        .setRunId("run-7")
        .setWindowIndex(12)
        .setSlot(5)
        .setGroupId(101)
        .setAttempt(1)
        .setPromptId("csum8:42")
        .setPrompt("3 1 4 1 = é")
        .setReferenceAnswer("9")
        .setReward("exact-match")
        .setSamplesPerGroup(8)
        .setSampling(
            SamplingRequest.newBuilder()
                .setTemperature(0.7)
                .setTopK(50)
                .setTopP(0.95)
                .setMinP(0.05)
                .setRepetitionPenalty(1.1)
                .setMaxResponseTokens(16)
                .setStopStrings(List.of("\n", "é"))
                .build())
        .setSeed(-1_234_567_890_123_456_789L)
        .setMinPolicyVersion(11)
        .setExactPolicyVersion(12L)
        .setManifestOffset(77L)
        .build();
  }

  public static RolloutGroup rolloutGroup() {
    return RolloutGroup.newBuilder()
        .setRunId("run-7")
        .setGroupId(101)
        .setWindowIndex(12)
        .setAttempt(1)
        .setPromptId("csum8:42")
        .setPromptTokens(List.of(1, 300, 70_000))
        .setSamplesPerGroup(2)
        .setModelHash("aa11")
        .setTokenizerHash("bb22")
        .setProducerId("producer-3")
        .setGeneratedAt(1_780_000_000_456L)
        .setGenerationMillis(12.25)
        .setFailure("gave up after 3 attempts")
        .setResponses(List.of(response(FinishReason.STOP, 0.5), response(FinishReason.LENGTH, -1)))
        .build();
  }

  private static Response response(FinishReason finishReason, double reward) {
    return Response.newBuilder()
        .setTokens(List.of(5, 6, 2))
        .setBehaviorLogprobs(List.of(-0.5f, -1.25f, -3.0e-3f))
        .setLossMask(List.of(true, false, true))
        .setBehaviorLogprobMask(List.of(true, true, false))
        .setReward(reward)
        .setRewardComponents(Map.of("exact", reward))
        .setFinishReason(finishReason)
        .setPolicyVersion(11)
        .setVersionSegments(List.of(new VersionSegment(2, 11L), new VersionSegment(3, 12L)))
        .setSampling(
            Sampling.newBuilder()
                .setTemperature(0.7)
                .setTopK(50)
                .setTopP(0.95)
                .setMinP(0.05)
                .setRepetitionPenalty(1.1)
                .setSeed(-99)
                .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                .setRenormalised(true)
                .setWeightPrecision("float32")
                .setStopStrings(List.of("\n", "é"))
                .build())
        .build();
  }

  public static SnapshotChunk snapshotChunk() {
    return SnapshotChunk.newBuilder()
        .setRunId("run-7")
        .setVersion(12)
        .setIndex(3)
        .setCrc32c(-559_038_737)
        .setData(ByteBuffer.wrap(new byte[] {0, 1, -1, 127}))
        .build();
  }

  public static SnapshotManifest snapshotManifest() {
    return SnapshotManifest.newBuilder()
        .setRunId("run-7")
        .setVersion(12)
        .setStep(13)
        .setKind(SnapshotKind.DELTA)
        .setBaseVersion(11L)
        .setDtype("float32")
        .setModelHash("aa11")
        .setParameterLayout(
            List.of(new ParameterSlice("model.norm.weight", List.of(4L, 64L), 256L)))
        .setChunkCount(4)
        .setTotalBytes(5_000_000_000L)
        .setSha256("cc33")
        .setLocation(SnapshotLocation.URI)
        .setUri("file:///weights")
        .build();
  }

  public static StepEvent stepEvent() {
    return StepEvent.newBuilder()
        .setKind(StepKind.STEP)
        .setRunId("run-7")
        .setStep(12)
        .setPolicyVersionBefore(12)
        .setPolicyVersionAfter(13)
        .setWindow(List.of(new WindowEntry(3, 1_000L, 101L, 1, 11L)))
        .setSkipped(List.of(new SkippedRecord(2, 900L, RejectionReason.NON_FINITE)))
        .setProgress(
            List.of(
                new PartitionProgress(
                    3, 1_001L, List.of(1_003L, 1_004L), List.of(new OffsetRange(1_006L, 1_009L)))))
        .setDispatched(List.of(new DispatchedGroup(117L, 1, 12L)))
        .setMissingGroups(List.of(103L))
        .setControl(
            new ControlChange(
                ControlKind.TRIM,
                "trimmed",
                List.of(new TrimmedPartition("p3o.rollouts", 3, 400L))))
        .setForkOf(new ForkOrigin("run-6", "other.", 8L, "ee55", 9L))
        .setAlgorithm("p3o/step/proxy")
        .setMetrics(stepMetrics())
        .setRatioStatistics(List.of(new VersionRatioStatistics(11L, 3.25, 3.5, 24L)))
        .setWeightsSha256("cc33")
        .setConfigHash("dd44")
        .setConfiguration("{\"run.seed\":42}")
        .setScheduleSteps(150L)
        .setEnvironment(sorted("device", "cpu", "threads", "1"))
        .setPreviousEventHash("ee55")
        .setPhases(
            PhaseDurations.newBuilder()
                .setWaitMillis(1.5)
                .setPrePassMillis(2.5)
                .setUpdateMillis(3.5)
                .setEncodeMillis(4.5)
                .setPreviousCommitMillis(5.5)
                .setPreviousCheckpointMillis(6.5)
                .build())
        .setLearnerEpoch(2)
        .setCommittedAt(1_780_000_000_789L)
        .build();
  }

  private static StepMetrics stepMetrics() {
    return StepMetrics.newBuilder()
        .setRewardMean(0.75)
        .setRewardStd(0.25)
        .setValidTokens(24)
        .setResponseLengthMean(3.5)
        .setTruncatedFraction(0.125)
        .setLoss(-0.375)
        .setPolicyLoss(-0.5)
        .setNormalizedEss(0.875)
        .setAdaptiveCap(0.8125)
        .setRatioMean(1.0625)
        .setRatioStd(0.3)
        .setRatioMax(2.5)
        .setCapFraction(0.9)
        .setRatioAboveOneFraction(0.4)
        .setClipFraction(0.1)
        .setBehaviorKlProxyMean(0.01)
        .setBehaviorKlProxyMax(0.2)
        .setAdaptiveKlLossMean(0.00125)
        .setGradNorm(1.75)
        .setLearningRate(1e-3)
        .setStalenessMin(1)
        .setStalenessMean(1.5)
        .setStalenessP95(2)
        .setStalenessMax(3)
        .setAgeMeanSeconds(0.25)
        .setMicroBatches(2)
        .setEssScope("micro-batch")
        .setMicroBatchEss(List.of(0.8125, 0.9375))
        .setKlMode("exact")
        .setPolicyTemperature("sampling")
        .setBehaviorLogprob("raw")
        .setBehaviorKlExactMean(0.015)
        .setBehaviorKlExactMax(0.3)
        .setEntropyMean(1.25)
        .setReferenceKlMean(0.045)
        .setKeptSetMismatches(3L)
        .setBehaviorLogprobGaps(
            List.of(new BehaviorLogprobGap("producer-3", 24L, 1e-7, 5e-7, 7.5e-7)))
        .setStalenessP50(2L)
        .setApproxKl(0.0125)
        .setLagWindows(4)
        .setRolloutPolicyAgeWindows(1.75)
        .setAgeGenerationSeconds(0.0625)
        .setAgeQueueSeconds(0.15)
        .setAgeHoldBackSeconds(0.1)
        .build();
  }

  public static DeadLetter deadLetter() {
    return DeadLetter.newBuilder()
        .setRunId("run-7")
        .setSourceTopic("p3o.rollouts")
        .setSourcePartition(3)
        .setSourceOffset(900)
        .setReason(RejectionReason.NON_FINITE)
        .setField("responses[2].behaviorLogprobs[5]")
        .setCause("NaN")
        .setGroupId(101L)
        .setAttempt(1)
        .setProducerId("producer-3")
        .setValueBytes(4_096)
        .setRejectedAt(1_780_000_000_999L)
        .build();
  }

  /** Two entries in the order of their keys, so that the bytes do not depend on hashing. */
  private static Map<String, String> sorted(
      String firstKey, String firstValue, String secondKey, String secondValue) {
    Map<String, String> entries = new TreeMap<>();
    entries.put(firstKey, firstValue);
    entries.put(secondKey, secondValue);
    return entries;
  }
}
