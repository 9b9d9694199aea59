package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.RecordKeys;

class SnapshotSearchTest {

  private static final TopicPartition PARTITION = new TopicPartition("snapshots", 0);
  private static final String RUN = "run-a";
  private static final String MODEL_HASH = "model-hash";

  /** Two chunks. */
  private static final int PARAMETERS = SnapshotEncoder.CHUNK_BYTES / Float.BYTES + 3;

  private final Log log = new Log();
  private final RecordCodec codec = InMemorySerde.codec();
  private final SnapshotSearch search =
      new SnapshotSearch(
          log,
          new PatientDecoder(codec, PARTITION.topic()),
          PARTITION.topic(),
          RUN,
          MODEL_HASH,
          PARAMETERS);
  private long nextOffset;

  /** A consumer over a log that can be read again after a seek. */
  private static final class Log extends MockConsumer<byte[], byte[]> {
    private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    private final List<Long> seeks = new ArrayList<>();
    private long beginning;
    private boolean away; // once it has been sought in
    private int silentPolls;

    Log() {
      super("earliest");
      updateBeginningOffsets(Map.of(PARTITION, 0L));
      updateEndOffsets(Map.of(PARTITION, 0L));
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
      super.seek(partition, offset);
      seeks.add(offset);
      records.stream()
          .filter(record -> record.offset() >= Math.max(offset, beginning))
          .forEach(this::addRecord);
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      if (!away) {
        return super.poll(timeout);
      }
      assertThat(++silentPolls).as("silent polls").isLessThan(10_000);
      return ConsumerRecords.empty();
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      if (away) {
        throw new TimeoutException("no answer within " + timeout);
      }
      return super.endOffsets(partitions, timeout);
    }

    void trimBefore(long offset) {
      beginning = offset;
      updateBeginningOffsets(Map.of(PARTITION, offset));
    }
  }

  private static float[] weights(long version) {
    float[] weights = new float[PARAMETERS];
    Arrays.fill(weights, version);
    return weights;
  }

  private static List<SpecificRecord> snapshot(long version) {
    SnapshotEncoder.Encoded encoded =
        new SnapshotEncoder(RUN, MODEL_HASH, List.of())
            .encode(version, version - 1, WeightsDigest.toBytes(weights(version)));
    List<SpecificRecord> records = new ArrayList<>(encoded.chunks());
    records.add(encoded.manifest());
    return records;
  }

  /** As in one transaction. Returns the offset of the first record. */
  private long append(long version, List<SpecificRecord> records) {
    long first = nextOffset;
    for (SpecificRecord record : records) {
      byte[] key = RecordKeys.of(version);
      byte[] value = codec.encode(PARTITION.topic(), record);
      log.records.add(
          new ConsumerRecord<>(
              PARTITION.topic(),
              0,
              nextOffset++,
              0,
              TimestampType.CREATE_TIME,
              key.length,
              value.length,
              key,
              value,
              new RecordHeaders(),
              Optional.of(1)));
    }
    nextOffset++; // transaction marker
    log.updateEndOffsets(Map.of(PARTITION, nextOffset - 1)); // where the mock's position ends
    return first;
  }

  private void appendVersions(long first, long last) {
    for (long version = first; version <= last; version++) {
      append(version, snapshot(version));
    }
  }

  @Test
  void findReadsAVersionFromWhereItShouldBe() {
    appendVersions(0, 20);
    for (long version : new long[] {17, 3, 20, 0, 1}) {
      assertThat(search.find(version)).isEqualTo(weights(version));
    }
    assertThat(log.seeks).hasSize(5);
    assertThat(log.seeks.get(0)).isEqualTo(16 * 4);
  }

  /** Aborted transactions leave holes, so that versions lie further on than their number says. */
  @Test
  void findGoesOnWhereHolesHavePushedAVersion() {
    appendVersions(0, 5);
    nextOffset += 100;
    appendVersions(6, 9);
    assertThat(search.find(8)).isEqualTo(weights(8));
    assertThat(log.seeks).hasSize(1);
    assertThat(search.find(3)).isEqualTo(weights(3)); // from 8 it should lie 100 offsets later
    assertThat(log.seeks.size()).isGreaterThan(2);
  }

  @Test
  void findSaysThatAVersionWasTrimmed() {
    appendVersions(0, 9);
    log.trimBefore(5 * 4);
    assertThat(search.find(5)).isEqualTo(weights(5));
    assertThatThrownBy(() -> search.find(4))
        .isInstanceOf(BehaviorSnapshotMissingException.class)
        .hasMessage("BEHAVIOUR_SNAPSHOT_MISSING: version 4: snapshots-0 does not hold it");
  }

  /** Half of it is there: the chunk that is left is not taken for the whole. */
  @Test
  void findSaysThatAVersionWasTrimmedInTheMiddle() {
    appendVersions(0, 9);
    log.trimBefore(4 * 4 + 1);
    assertThatThrownBy(() -> search.find(4)).hasMessageContaining("version 4: found 1 of 2 chunks");
  }

  @Test
  void findManifestSaysWhereTheManifestLies() {
    appendVersions(0, 9);
    log.trimBefore(5 * 4);
    assertThat(search.findManifest(7)).hasValue(7 * 4 + 2); // after two chunks
    assertThat(search.findManifest(5)).hasValue(5 * 4 + 2);
    assertThat(search.findManifest(4)).isEmpty();
  }

  @Test
  void findSaysThatAVersionIsNotThereYet() {
    appendVersions(0, 3);
    assertThatThrownBy(() -> search.find(4)).hasMessageContaining("version 4");
    append(4, snapshot(4));
    assertThat(search.find(4)).isEqualTo(weights(4));
  }

  @Test
  void findSaysWhatIsWrongWithACorruptVersion() {
    appendVersions(0, 2);
    List<SpecificRecord> records = new ArrayList<>(snapshot(3));
    SnapshotChunk chunk = (SnapshotChunk) records.get(1);
    byte[] bytes = new byte[chunk.getData().remaining()];
    chunk.getData().duplicate().get(bytes);
    bytes[5] ^= 1;
    records.set(1, SnapshotChunk.newBuilder(chunk).setData(ByteBuffer.wrap(bytes)).build());
    append(3, records);
    appendVersions(4, 4);
    assertThatThrownBy(() -> search.find(3))
        .hasMessageContaining("version 3: chunk 1 has a wrong CRC-32C, at snapshots-0@14");
    assertThat(search.find(4)).isEqualTo(weights(4));
  }

  @Test
  void findEndsWhereTheBrokerGoesAwayMeanwhile() {
    appendVersions(0, 3);
    log.away = true;
    assertThatThrownBy(() -> search.find(2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the broker has not answered for 120 s; a restart continues")
        .hasCauseInstanceOf(TimeoutException.class);
    log.away = false;
    assertThat(search.find(2)).isEqualTo(weights(2));
  }
}
