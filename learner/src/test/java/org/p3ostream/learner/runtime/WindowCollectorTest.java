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
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

class WindowCollectorTest {

  private static final int GROUPS = 3;
  private static final TopicSpec ROLLOUTS = new TopicSpec("rollouts", 1, Map.of());
  private static final TopicPartition PARTITION = new TopicPartition("rollouts", 0);
  private static final DispatchConfig DISPATCH = new DispatchConfig(GROUPS, 0, 1, 0, 60, true);

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
    Window window = collector.next(() -> false);
    assertThat(window.groups()).hasSize(GROUPS);
    assertThat(ledgerDispatches()).containsExactly(0L, 0L, 0L);
  }

  @Test
  void nextAsksAgainForWhatIsOverdueAndGivesItUpAtLast() {
    WindowCollector collector = collector(2);
    publish(0, good(0, 0, 0, 0));
    publish(1, good(2, 0, 0, 0));
    Window window = collector.next(() -> false);
    assertThat(window.missingGroups()).containsExactly(1L);
    assertThat(ledger.dispatched().find(1)).isNull(); // its window is settled
    assertThat(askedAgain).containsExactly(1L, 1L);
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
                DISPATCH,
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
        (event, hash) ->
            event.getDispatched().stream()
                .map(group -> group.getGroupId())
                .filter(groupId -> event.getStep() >= 0)
                .forEach(askedAgain::add));
    StepCommit commit = new StepCommit(committer, ledger, manifests, "snapshots");
    PreparedEvent genesis = composer.genesis(ledger, new byte[4], 1, Map.of(), StepTimer.none());
    commit.commit(genesis);
    return new WindowCollector(
        DISPATCH,
        new WindowConfig(maxTopUps),
        ledger,
        intake,
        source,
        new LedgerWriter(ledger, intake, composer, commit, StageListener.NONE),
        clock);
  }
}
