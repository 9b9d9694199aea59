package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads stretches of any partitions in the order of time: records of a partition in their order,
 * records of different partitions by their timestamps. Holds back at most what one fetch of each
 * partition brings.
 */
public final class MergedReader {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Consumer<byte[], byte[]> consumer;
  private final String what;

  /**
   * @param consumer read_committed, without a group; its assignment is taken over, it belongs to
   *     the caller
   * @param what is read, for messages
   */
  public MergedReader(Consumer<byte[], byte[]> consumer, String what) {
    this.consumer = consumer;
    this.what = what;
  }

  /**
   * Reads {@code spans} until {@code visit} is false.
   *
   * @throws IllegalStateException if the broker stops sending
   */
  public void forward(
      Map<TopicPartition, Span> spans, Predicate<ConsumerRecord<byte[], byte[]>> visit) {
    Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched = start(spans);
    while (true) {
      fill(spans, fetched);
      ConsumerRecord<byte[], byte[]> next = oldest(fetched);
      if (next == null || !visit.test(next)) {
        return;
      }
    }
  }

  private Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> start(
      Map<TopicPartition, Span> spans) {
    Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
    consumer.assign(spans.keySet());
    spans.forEach(
        (partition, span) -> {
          consumer.seek(partition, span.nextOffset());
          fetched.put(partition, new ArrayDeque<>());
        });
    return fetched;
  }

  /** Waits until every partition that goes on has a record to compare. */
  private void fill(
      Map<TopicPartition, Span> spans,
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched) {
    long heardNanos = System.nanoTime();
    Set<TopicPartition> wanted = wanted(spans, fetched);
    while (!wanted.isEmpty()) {
      Set<TopicPartition> others = new HashSet<>(spans.keySet());
      others.removeAll(wanted);
      consumer.pause(others);
      consumer.resume(wanted);
      long before = sumOfPositions(wanted);
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        if (record.offset() < span(spans, partition).endOffset()) {
          queue(fetched, partition).add(record);
        }
      }
      if (sumOfPositions(wanted) != before) {
        heardNanos = System.nanoTime();
      } else if (System.nanoTime() - heardNanos > PATIENCE.toNanos()) {
        throw new IllegalStateException(
            what + ": the broker has sent nothing for " + PATIENCE.toSeconds() + " s");
      }
      wanted = wanted(spans, fetched);
    }
  }

  private Set<TopicPartition> wanted(
      Map<TopicPartition, Span> spans,
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched) {
    return spans.entrySet().stream()
        .filter(e -> queue(fetched, e.getKey()).isEmpty())
        .filter(e -> !e.getValue().isEmpty())
        .filter(e -> consumer.position(e.getKey()) < e.getValue().endOffset())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private long sumOfPositions(Set<TopicPartition> some) {
    return some.stream().mapToLong(consumer::position).sum();
  }

  private static @Nullable ConsumerRecord<byte[], byte[]> oldest(
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched) {
    Deque<ConsumerRecord<byte[], byte[]>> first = null;
    for (Deque<ConsumerRecord<byte[], byte[]>> queue : fetched.values()) {
      if (!queue.isEmpty() && (first == null || isBefore(queue.element(), first.element()))) {
        first = queue;
      }
    }
    return first == null ? null : first.remove();
  }

  private static boolean isBefore(ConsumerRecord<?, ?> one, ConsumerRecord<?, ?> other) {
    return one.timestamp() != other.timestamp()
        ? one.timestamp() < other.timestamp()
        : one.partition() < other.partition();
  }

  private static Span span(Map<TopicPartition, Span> spans, TopicPartition partition) {
    return spans.getOrDefault(partition, new Span(0, 0));
  }

  private static Deque<ConsumerRecord<byte[], byte[]>> queue(
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched,
      TopicPartition partition) {
    return fetched.computeIfAbsent(partition, p -> new ArrayDeque<>());
  }
}
