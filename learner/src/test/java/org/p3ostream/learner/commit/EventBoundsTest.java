package org.p3ostream.learner.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.window.Excerpt;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordTypes;

/** The largest event that the limits of configuration and intake allow. */
class EventBoundsTest {

  private static final int PARTITIONS = 4;
  private static final int PRODUCERS_NAMED = 65; // with the others
  private static final long HUGE = Long.MAX_VALUE / 2; // as many bytes as a number can take

  static {
    RecordTypes.schemas();
  }

  @ParameterizedTest
  @CsvSource({"8192, 0", "4096, 1", "1024, 7", "1, 8191"})
  void theLargestStepEventStaysBelowAMegabyte(int groupsPerWindow, int maxStaleness) {
    int syncInterval = DispatchConfig.MAX_OPEN_GROUPS - maxStaleness;
    int open =
        new DispatchConfig(groupsPerWindow, maxStaleness, syncInterval, 0, 600, true)
            .groupsPerWindow();
    int openGroups = open * (maxStaleness + 1);
    StepEvent event = largest(groupsPerWindow, openGroups, maxStaleness + syncInterval);
    assertThat(InMemorySerde.codec().encode("steps", event).length)
        .isLessThan(EventRecords.MAX_EVENT_BYTES);
  }

  private static StepEvent largest(int groupsPerWindow, int openGroups, int versions) {
    return StepEvent.newBuilder()
        .setKind(StepKind.STEP)
        .setRunId("r".repeat(200))
        .setStep(HUGE)
        .setPolicyVersionBefore(HUGE)
        .setPolicyVersionAfter(HUGE)
        .setWindow(
            Collections.nCopies(
                groupsPerWindow, new WindowEntry(PARTITIONS - 1, HUGE, HUGE, 1000, HUGE)))
        .setSkipped(
            Collections.nCopies(
                Intake.MAX_PENDING_REJECTIONS,
                new SkippedRecord(PARTITIONS - 1, HUGE, RejectionReason.TRUNCATED_SAMPLING)))
        .setProgress(IntStream.range(0, PARTITIONS).mapToObj(p -> progress(p, openGroups)).toList())
        .setDispatched(Collections.nCopies(openGroups, new DispatchedGroup(HUGE, 1000, HUGE)))
        .setAlgorithm("a".repeat(100))
        .setMetrics(metrics())
        .setRatioStatistics(
            LongStream.range(0, versions)
                .mapToObj(v -> new VersionRatioStatistics(HUGE, 1d, 1d, HUGE))
                .toList())
        .setWeightsSha256("0".repeat(64))
        .setConfigHash("0".repeat(64))
        .setPreviousEventHash("0".repeat(64))
        .setPhases(new PhaseDurations(1d, 1d, 1d, 1d, 1d, 1d))
        .setLearnerEpoch(HUGE)
        .setCommittedAt(HUGE)
        .build();
  }

  /** A range more than there are records between. */
  private static PartitionProgress progress(int partition, int openGroups) {
    return new PartitionProgress(
        partition,
        HUGE,
        List.of(),
        Collections.nCopies(openGroups / PARTITIONS + 1, new OffsetRange(HUGE, HUGE)));
  }

  private static StepMetrics metrics() {
    return StepMetrics.newBuilder(EventComposerTest.trained().metrics())
        .setBehaviorLogprobGaps(
            Collections.nCopies(
                PRODUCERS_NAMED,
                new BehaviorLogprobGap("i".repeat(Excerpt.PRODUCER_ID_BYTES), HUGE, 1d, 1d, 1d)))
        .build();
  }
}
