package org.p3ostream.rolloutproducer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A mock consumer over a log that it can read again after a seek, as from a broker. */
public final class LogConsumer extends MockConsumer<byte[], byte[]> {

  private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
  private final List<Long> seeks = new ArrayList<>();
  private final List<Runnable> heldCommits = new ArrayList<>();
  private boolean holdCommits;

  public LogConsumer() {
    super("earliest");
  }

  /** Appends a record; visible at once if its partition is assigned. */
  public synchronized void append(TopicPartition partition, long offset, byte[] key, byte[] value) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            offset,
            0,
            TimestampType.CREATE_TIME,
            key.length,
            value.length,
            key,
            value,
            new RecordHeaders(),
            Optional.of(1));
    log.add(record);
    updateEndOffsets(Map.of(partition, offset + 1));
    if (assignment().contains(partition)) {
      addRecord(record);
    }
  }

  @Override
  public synchronized void seek(TopicPartition partition, long offset) {
    super.seek(partition, offset);
    seeks.add(offset);
    for (ConsumerRecord<byte[], byte[]> record : log) {
      if (record.partition() == partition.partition() && record.offset() >= offset) {
        addRecord(record);
      }
    }
  }

  /** From now on commits stay under way until {@link #completeCommits}. */
  public synchronized void holdCommits() {
    holdCommits = true;
  }

  public synchronized void completeCommits() {
    holdCommits = false;
    heldCommits.forEach(Runnable::run);
    heldCommits.clear();
  }

  @Override
  public synchronized void commitAsync(
      Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
    if (holdCommits) {
      heldCommits.add(() -> super.commitAsync(offsets, callback));
    } else {
      super.commitAsync(offsets, callback);
    }
  }

  /** A real consumer forgets that a partition was paused when it gives it away. */
  @Override
  public synchronized Set<TopicPartition> paused() {
    Set<TopicPartition> paused = new HashSet<>(super.paused());
    paused.retainAll(assignment());
    return paused;
  }

  /** Every position this consumer was sent to. */
  public synchronized List<Long> seeks() {
    return List.copyOf(seeks);
  }
}
