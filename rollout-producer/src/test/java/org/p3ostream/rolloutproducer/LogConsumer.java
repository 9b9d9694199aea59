package org.p3ostream.rolloutproducer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A mock consumer over a log that it can read again after a seek, as from a broker. */
public final class LogConsumer extends MockConsumer<byte[], byte[]> {

  private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
  private final List<Long> seeks = new ArrayList<>();
  private final List<Runnable> heldCommits = new ArrayList<>();
  private boolean holdCommits;
  private int unanswered;

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

  /** The next so many questions to the broker time out; polls return what they would. */
  public synchronized void leaveUnanswered(int questions) {
    unanswered = questions;
  }

  private void ask() {
    if (unanswered > 0) {
      unanswered--;
      throw new TimeoutException("no answer");
    }
  }

  @Override
  public synchronized Map<TopicPartition, Long> beginningOffsets(
      Collection<TopicPartition> partitions) {
    ask();
    return super.beginningOffsets(partitions);
  }

  @Override
  public synchronized Map<TopicPartition, Long> endOffsets(
      Collection<TopicPartition> partitions, Duration timeout) {
    ask();
    return super.endOffsets(partitions, timeout);
  }

  @Override
  public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions) {
    ask();
    return super.committed(partitions);
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
