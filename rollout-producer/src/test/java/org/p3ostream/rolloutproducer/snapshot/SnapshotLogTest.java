package org.p3ostream.rolloutproducer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.LogConsumer;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.TaggedAvro;
import org.p3ostream.rolloutproducer.Weights;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.PolicyWeights;
import org.p3ostream.schemas.snapshot.SnapshotEvent;
import org.p3ostream.schemas.snapshot.SnapshotFollower;
import org.p3ostream.schemas.topic.RecordKeys;

/** The order of reads and seeks; what a broker does is tested with a broker. */
class SnapshotLogTest {

  private static final TopicPartition PARTITION = new TopicPartition("snapshots", 0);
  private static final Duration NO_WAIT = Duration.ZERO;
  private static final int VERSIONS_KEPT = 2;

  private final LogConsumer consumer = new LogConsumer();
  private final RecordCodec codec = TaggedAvro.codec();
  private final List<SnapshotEvent> events = new ArrayList<>();
  private final Map<Long, Long> manifestOffsets = new HashMap<>();
  private final VersionCache versions = new VersionCache(VERSIONS_KEPT, VERSIONS_KEPT);
  private final SnapshotLog snapshots =
      new SnapshotLog(
          consumer,
          codec,
          PARTITION.topic(),
          new SnapshotFollower(
              PromptTasks.RUN, Weights.MODEL_HASH, Weights.PARAMETERS, versions::put),
          versions,
          events::add);
  private long nextOffset;

  @BeforeEach
  void emptyTopic() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 0L));
  }

  private void append(long version, List<SpecificRecord> records) {
    for (SpecificRecord record : records) {
      manifestOffsets.put(version, nextOffset);
      consumer.append(
          PARTITION, nextOffset++, RecordKeys.of(version), codec.encode("snapshots", record));
    }
    nextOffset++; // transaction marker
  }

  private void appendVersions(long first, long last) {
    for (long version = first; version <= last; version++) {
      append(version, Weights.snapshot(version));
    }
  }

  private OptionalLong newest() {
    return snapshots.versions().newest().stream().mapToLong(PolicyWeights::version).findFirst();
  }

  @Test
  void pollLoadsVersionsAsTheyCome() {
    snapshots.start();
    appendVersions(0, 0);
    snapshots.poll(NO_WAIT);
    assertThat(newest()).hasValue(0);

    appendVersions(1, 1);
    snapshots.poll(NO_WAIT);
    assertThat(newest()).hasValue(1);
  }

  @Test
  void startReadsOnlyTheEndOfALongTopic() {
    appendVersions(0, 19);
    snapshots.start();
    snapshots.poll(NO_WAIT);

    assertThat(newest()).hasValue(19);
    assertThat(consumer.seeks()).singleElement().satisfies(seek -> assertThat(seek).isPositive());
    assertThat(events).hasSizeLessThan(7);
  }

  @Test
  void pollReadsTheWholeTopicWhenItsEndHoldsNothingUsable() {
    appendVersions(0, 0);
    for (int i = 0; i < 10; i++) {
      append(50 + i, Weights.snapshot("run-b", Weights.MODEL_HASH, 50 + i, Weights.of(50 + i)));
    }
    snapshots.start();
    snapshots.poll(NO_WAIT);
    assertThat(newest()).isEmpty();

    snapshots.poll(NO_WAIT);
    assertThat(newest()).hasValue(0);
  }

  @Test
  void recallIfDueFindsAnOldVersionAtThePlaceThePromptNames() {
    appendVersions(0, 19);
    snapshots.start();
    snapshots.poll(NO_WAIT);

    events.clear();
    snapshots.versions().want(Set.of(7L));
    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.of(manifestOffsets.get(7L)), 0);
    snapshots.poll(NO_WAIT);

    assertThat(snapshots.versions().exactly(7)).isPresent();
    assertThat(newest()).hasValue(19);
    assertThat(events).containsExactly(new SnapshotEvent.Loaded(7));
    assertThat(consumer.seeks().get(1)).isBetween(manifestOffsets.get(5L), manifestOffsets.get(7L));
  }

  @Test
  void recallIfDueStartsWhereTheVersionShouldLieWhenThePromptDoesNotSay() {
    appendVersions(0, 19);
    snapshots.start();
    snapshots.poll(NO_WAIT);

    snapshots.versions().want(Set.of(7L));
    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.empty(), 0);
    snapshots.poll(NO_WAIT);

    assertThat(snapshots.versions().exactly(7)).isPresent();
    assertThat(consumer.seeks().get(1)).isBetween(manifestOffsets.get(4L), manifestOffsets.get(7L));
  }

  /** Aborted transactions lie between; the read that starts too late is followed by a whole one. */
  @Test
  void recallIfDueReadsFromTheBeginningWhenTheVersionLiesBeforeWhereItShould() {
    appendVersions(0, 9);
    nextOffset += 50;
    appendVersions(10, 19);
    snapshots.start();
    snapshots.poll(NO_WAIT);

    snapshots.versions().want(Set.of(7L));
    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.empty(), 0);
    snapshots.poll(NO_WAIT);
    assertThat(snapshots.versions().exactly(7)).isEmpty();

    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.empty(), 60_000);
    snapshots.poll(NO_WAIT);
    assertThat(snapshots.versions().exactly(7)).isPresent();
    assertThat(consumer.seeks().get(2)).isZero();
  }

  @Test
  void recallIfDueReadsFromTheBeginningWhenThePlaceIsWrong() {
    appendVersions(0, 19);
    snapshots.start();
    snapshots.poll(NO_WAIT);

    snapshots.versions().want(Set.of(7L));
    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.of(manifestOffsets.get(18L)), 0);
    snapshots.poll(NO_WAIT);
    assertThat(snapshots.versions().exactly(7)).isEmpty();

    snapshots.recallIfDue(OptionalLong.of(7), OptionalLong.empty(), 60_000);
    snapshots.poll(NO_WAIT);
    assertThat(snapshots.versions().exactly(7)).isPresent();
    assertThat(consumer.seeks().get(2)).isZero();
  }

  @Test
  void pollKeepsItsVersionAndReadsAgainWhenTheNewestIsCorrupt() {
    snapshots.start();
    appendVersions(0, 0);
    append(1, Weights.snapshot(1).subList(1, 3));
    snapshots.poll(NO_WAIT);
    snapshots.recallIfDue(OptionalLong.empty(), OptionalLong.empty(), 0);

    assertThat(newest()).hasValue(0);
    assertThat(events.get(1)).isInstanceOf(SnapshotEvent.Corrupt.class);

    appendVersions(1, 1);
    snapshots.recallIfDue(OptionalLong.empty(), OptionalLong.empty(), 60_000);
    snapshots.poll(NO_WAIT);
    assertThat(newest()).hasValue(1);
  }

  @Test
  void pollPassesOverARecordWithoutAVersion() {
    snapshots.start();
    consumer.append(PARTITION, nextOffset++, new byte[] {1}, new byte[] {2});
    appendVersions(0, 0);
    snapshots.poll(NO_WAIT);

    assertThat(newest()).hasValue(0);
  }
}
