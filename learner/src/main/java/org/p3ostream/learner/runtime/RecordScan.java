package org.p3ostream.learner.runtime;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Looks for the first record of a partition that must stay. Values are not decoded. */
final class RecordScan {
  private static final Duration POLL = Duration.ofMillis(100);

  /** Polls without a record after which what was seen so far is enough. */
  private static final int PATIENCE_POLLS = 50;

  private final Consumer<byte[], byte[]> consumer;

  /**
   * @param consumer assigned by this class, read_committed, no group
   */
  RecordScan(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  /**
   * Offset of the first record that must stay, or behind the last one that was seen.
   *
   * @param nextOffset where to begin, or at the beginning if that is later
   * @param mayGo asked in the order of offsets, until it is false
   */
  long firstKept(
      TopicPartition partition, long nextOffset, Predicate<ConsumerRecord<byte[], byte[]>> mayGo) {
    consumer.assign(List.of(partition));
    long beginning = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, beginning);
    consumer.seek(partition, Math.max(beginning, nextOffset));
    long seen = Math.max(beginning, nextOffset);
    int silent = 0;
    while (consumer.position(partition) < end && silent < PATIENCE_POLLS) {
      silent++;
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        silent = 0;
        if (!mayGo.test(record)) {
          return record.offset();
        }
        seen = record.offset() + 1;
      }
    }
    return seen;
  }
}
