package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.good;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.EventHeader;
import org.p3ostream.learner.commit.EventRecords;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StageListener;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.dispatch.PromptSchedule;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.HoldBack;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

class WindowCollectorTest {

  private static final int GROUPS = 3;
  private static final TopicSpec ROLLOUTS = new TopicSpec("rollouts", 1, Map.of());
  private static final TopicPartition PARTITION = new TopicPartition("rollouts", 0);
  private static final DispatchConfig DISPATCH = new DispatchConfig(GROUPS, 0, 1, 0, 60, true);

  /** Two windows ahead, and all the time there is. */
  private static final DispatchConfig AHEAD =
      new DispatchConfig(GROUPS, 2, 1, 0, 2_000_000_000, true);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final RecordCodec codec = InMemorySerde.codec();
  private final LedgerState ledger = new LedgerState(RolloutGroups.RUN_ID, GROUPS);
  private final Intake intake =
      new Intake(
          RolloutGroups.RUN_ID,
          RolloutGroups.contract(),
          DynamicSampling.OFF,
          ledger.dispatched(),
          GROUPS,
          true,
          Map.of(0, new PartitionCursor(0, List.of())));
  private final List<Long> askedAgain = new ArrayList<>();
  private final List<StepEvent> events = new ArrayList<>();
  private LedgerWriter writer;

  /** Every look at the clock takes a minute: a learner that is busy, or was away. */
  private final Clock clock =
      new Clock() {
        private long nowMs;

        @Override
        public java.time.ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return Instant.ofEpochMilli(nowMs += 60_000);
        }
      };

  @Test
  void nextDoesNotTakeForLostWhatWaitsToBeRead() {
    WindowCollector collector = collector(10);
    consumer.setMaxPollRecords(1);
    for (int groupId = 0; groupId < GROUPS; groupId++) {
      publish(groupId, good(groupId, 0, 0, 0));
    }
    Window window = next(collector).window();
    assertThat(window.groups()).hasSize(GROUPS);
    assertThat(ledgerDispatches()).containsExactly(0L, 0L, 0L);
  }

  @Test
  void nextAsksAgainForWhatIsOverdueAndGivesItUpAtLast() {
    WindowCollector collector = collector(2);
    publish(0, good(0, 0, 0, 0));
    publish(1, good(2, 0, 0, 0));
    Window window = next(collector).window();
    assertThat(window.missingGroups()).containsExactly(1L);
    assertThat(ledger.dispatched().find(1)).isNull(); // its window is settled
    assertThat(askedAgain).containsExactly(1L, 1L);
  }

  @Test
  void nextHoldsACompleteWindowBackUntilTheNextOnesLieComplete() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(2, 100));
    publishWindow(0, 0);
    publishWindow(2, 3);
    publish(6, good(3, 0, 1, 0));
    publish(7, good(4, 0, 1, 0));
    assertThat(collector.next(afterLooks(5))).isNull();
    assertThat(intake.isComplete(0)).isTrue();
    publish(8, good(5, 0, 1, 0));
    CollectedWindow window = next(collector);
    assertThat(window.window().index()).isZero();
    assertThat(window.window().groups()).hasSize(GROUPS);
    assertThat(window.lagWindows()).isEqualTo(2);
    assertThat(askedAgain).isEmpty();
  }

  @Test
  void nextCountsAGroupThatWasGivenUpAsComeWhereItHoldsAWindowBack() {
    WindowCollector collector =
        collector(new DispatchConfig(GROUPS, 2, 1, 0, 60, true), 1, new HoldBack(1, 100));
    publishWindow(0, 0);
    publish(3, good(3, 0, 1, 0));
    publish(4, good(5, 0, 1, 0)); // group 4 is lost, and so are 6 to 8
    CollectedWindow window = next(collector);
    assertThat(window.window().missingGroups()).isEmpty();
    assertThat(window.lagWindows()).isPositive();
    assertThat(ledger.dispatched().givenUp(0, 6)).containsExactly(4L);
  }

  @Test
  void nextTellsHowLongAWindowWasHeldBackAndWhatLiesBehindIt() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(0, 100));
    publishWindow(0, 0);
    publishWindow(2, 3);
    CollectedWindow free = next(collector);
    assertThat(free.lagWindows()).isEqualTo(1);
    assertThat(free.holdBackSeconds()).isZero();
  }

  @Test
  void nextMeasuresTheTimeThatAWindowIsHeldBack() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(1, 100));
    publishWindow(0, 0);
    for (int turn = 0; turn < 3; turn++) { // seen to be complete before these come
      consumer.schedulePollTask(() -> {});
    }
    consumer.schedulePollTask(() -> publishWindow(1, 3));
    assertThat(next(collector).holdBackSeconds()).isPositive();
  }

  /** Else the step would record that the group is out, and a kill would lose what replaces it. */
  @Test
  void nextHandsADueWindowOutOnlyOnceReplacementsOfLaterOnesAreDispatched() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(0, 100));
    publishWindow(0, 0);
    publishWindow(1, 3);
    train(next(collector).window());
    publish(6, RolloutGroup.newBuilder(good(7, 0, 2, 0)).setModelHash("other").build());
    Window window = next(collector).window();
    assertThat(window.index()).isEqualTo(1);
    assertThat(window.groups()).hasSize(GROUPS);
    assertThat(newest().getKind()).isEqualTo(StepKind.INTERIM);
    assertThat(newest().getStep()).isEqualTo(1);
    assertThat(newest().getSkipped())
        .containsExactly(new SkippedRecord(0, 6L, RejectionReason.MODEL_MISMATCH));
    assertThat(newest().getDispatched()).containsExactly(new DispatchedGroup(7L, 1, 0L));
    train(window);
    assertThat(newest().getKind()).isEqualTo(StepKind.STEP);
    assertThat(newest().getSkipped()).isEmpty();
    assertThat(askedAgain).containsOnlyOnce(7L);
  }

  @Test
  void nextIsNullIfAskedToStopThoughAWindowIsDue() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(0, 100));
    publishWindow(0, 0);

    assertThat(collector.next(() -> true)).isNull();
    assertThat(next(collector).window().index()).isZero();
  }

  /** What is not recorded is read again by whoever goes on. */
  @Test
  void nextRecordsNothingOfWhatItWouldReplaceIfAskedToStop() {
    WindowCollector collector = collector(AHEAD, 10, new HoldBack(0, 100));
    publish(0, RolloutGroup.newBuilder(good(7, 0, 2, 0)).setModelHash("other").build());
    assertThat(collector.next(() -> true)).isNull();
    assertThat(newest().getKind()).isEqualTo(StepKind.GENESIS);
  }

  @Test
  void nextReplacesWhatIsTooStaleByWhatTheVersionInForceSamples() {
    WindowCollector collector = collector(AHEAD, new WindowConfig(10, 0), new HoldBack(1, 100));
    publishWindow(0, 0);
    publishWindow(1, 3);
    publishWindow(2, 6);
    train(next(collector).window());
    assertThat(newest().getSkipped()).isEmpty(); // window 1 was not next before
    assertThat(collector.next(afterLooks(2))).isNull();
    assertThat(newest().getKind()).isEqualTo(StepKind.INTERIM);
    assertThat(newest().getSkipped())
        .containsExactly(
            new SkippedRecord(0, 3L, RejectionReason.STALE),
            new SkippedRecord(0, 4L, RejectionReason.STALE),
            new SkippedRecord(0, 5L, RejectionReason.STALE));
    assertThat(newest().getDispatched())
        .containsExactly(
            new DispatchedGroup(3L, 1, 1L),
            new DispatchedGroup(4L, 1, 1L),
            new DispatchedGroup(5L, 1, 1L));
    for (int slot = 0; slot < GROUPS; slot++) {
      publish(9 + slot, good(3 + slot, 1, 1, 1));
    }
    CollectedWindow window = next(collector);
    assertThat(window.window().groups())
        .extracting(TrainingGroup::policyVersion)
        .containsExactly(1L, 1L, 1L);
    assertThat(window.lagWindows()).isEqualTo(1);
  }

  @Test
  void nextGivesUpWhatIsTooStaleOftenEnough() {
    WindowCollector collector = collector(AHEAD, new WindowConfig(0, 0), new HoldBack(0, 100));
    publishWindow(0, 0);
    publishWindow(1, 3);
    train(next(collector).window());
    Window window = next(collector).window();
    assertThat(window.groups()).isEmpty();
    assertThat(window.missingGroups()).containsExactly(3L, 4L, 5L);
  }

  private void train(Window window) {
    writer.step(
        window,
        new TrainedWindow(StepEvents.metrics().build(), List.of(), 0, 0),
        new float[] {window.index() + 1});
  }

  private StepEvent newest() {
    return events.get(events.size() - 1);
  }

  private static CollectedWindow next(WindowCollector collector) {
    CollectedWindow window = collector.next(() -> false);
    assertThat(window).isNotNull();
    return window;
  }

  /** Asks to stop when it has been looked at so often. */
  private static BooleanSupplier afterLooks(int looks) {
    int[] left = {looks};
    return () -> --left[0] < 0;
  }

  private void publishWindow(long window, long firstOffset) {
    for (int slot = 0; slot < GROUPS; slot++) {
      publish(firstOffset + slot, good(window * GROUPS + slot, 0, window, 0));
    }
  }

  private List<Long> ledgerDispatches() {
    return List.of(0L, 1L, 2L).stream().map(this::dispatchesAgain).toList();
  }

  private long dispatchesAgain(long groupId) {
    return askedAgain.stream().filter(again -> again == groupId).count();
  }

  private void publish(long offset, RolloutGroup group) {
    consumer.addRecord(
        new ConsumerRecord<>("rollouts", 0, offset, null, codec.encode("rollouts", group)));
    consumer.updateEndOffsets(Map.of(PARTITION, offset + 1));
  }

  private WindowCollector collector(int maxTopUps) {
    return collector(DISPATCH, maxTopUps, new HoldBack(0, 100));
  }

  private WindowCollector collector(DispatchConfig dispatch, int maxTopUps, HoldBack holdBack) {
    return collector(dispatch, new WindowConfig(maxTopUps, null), holdBack);
  }

  private WindowCollector collector(
      DispatchConfig dispatch, WindowConfig window, HoldBack holdBack) {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    RolloutSource source = new RolloutSource(consumer, codec, ROLLOUTS);
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    StepCommitter committer = new StepCommitter(producer, consumer.groupMetadata());
    committer.initialize();
    ManifestOffsets manifests = new ManifestOffsets(OptionalLong::of);
    EventComposer composer =
        new EventComposer(
            new EventHeader(RolloutGroups.RUN_ID, RunDefinition.parse("{}"), "p3o", 1),
            new EventRecords(
                new TopicCatalogue(""),
                codec,
                new SnapshotEncoder(RolloutGroups.RUN_ID, RolloutGroups.MODEL_HASH, List.of())),
            new PromptComposer(
                dispatch,
                new PromptSchedule(
                    new RunConfig(RolloutGroups.RUN_ID, 1, ""),
                    SamplingConfig.defaults(),
                    List.of(
                        new PromptDataset(
                            "train", "exact-match", 1, SyntheticTask.SORT8.generate(9, 1))),
                    GROUPS),
                manifests),
            clock);
    ledger.tell(
        (event, hash) -> {
          events.add(event);
          event.getDispatched().stream()
              .map(group -> group.getGroupId())
              .filter(groupId -> event.getStep() >= 0)
              .forEach(askedAgain::add);
        });
    StepCommit commit = new StepCommit(committer, ledger, manifests, "snapshots");
    PreparedEvent genesis = composer.genesis(ledger, new byte[4], 1, Map.of(), StepTimer.none());
    commit.commit(genesis);
    writer =
        new LedgerWriter(
            ledger, intake, composer, commit, StageListener.NONE, LearnerObserver.NONE);
    return new WindowCollector(dispatch, window, holdBack, ledger, intake, source, writer, clock);
  }
}
