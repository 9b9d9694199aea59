package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.ledger.BrokenBatch;

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
  private final @Nullable Damage damage;

  /** Is told of records that the broker sends and that do not match their own checksum. */
  @FunctionalInterface
  public interface Damage {

    /**
     * Some offsets are passed over.
     *
     * @param span of the partition
     * @param cause in words
     */
    void passedOver(TopicPartition partition, Span span, String cause);
  }

  /**
   * A reader that fails at damaged records.
   *
   * @param consumer read_committed, without a group; its assignment is taken over, it belongs to
   *     the caller
   * @param what is read, for messages
   */
  public MergedReader(Consumer<byte[], byte[]> consumer, String what) {
    this(consumer, what, null);
  }

  /**
   * A reader that passes over damaged records.
   *
   * @param damage told about them; null to fail
   */
  public MergedReader(Consumer<byte[], byte[]> consumer, String what, @Nullable Damage damage) {
    this.consumer = consumer;
    this.what = what;
    this.damage = damage;
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
      try {
        poll(spans, fetched);
      } catch (KafkaException e) {
        passOver(wanted, spans, fetched, e);
      }
      if (sumOfPositions(wanted) != before) {
        heardNanos = System.nanoTime();
      } else {
        requirePatience(heardNanos);
      }
      wanted = wanted(spans, fetched);
    }
  }

  private void poll(
      Map<TopicPartition, Span> spans,
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      TopicPartition partition = new TopicPartition(record.topic(), record.partition());
      if (record.offset() < span(spans, partition).endOffset()) {
        queue(fetched, partition).add(record);
      }
    }
  }

  /** The consumer does not say in which partition it met the damage, so each is tried alone. */
  private void passOver(
      Set<TopicPartition> wanted,
      Map<TopicPartition, Span> spans,
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched,
      KafkaException cause) {
    Damage told = damage;
    String words = BrokenBatch.in(cause);
    if (told == null || words == null) {
      throw cause;
    }
    for (TopicPartition partition : wanted) {
      consumer.pause(consumer.assignment());
      consumer.resume(List.of(partition));
      long from = consumer.position(partition);
      long end = span(spans, partition).endOffset();
      long next = from;
      while (next < end && !isReadableAt(partition, next, spans, fetched)) {
        next++;
        consumer.seek(partition, next);
      }
      if (next > from) {
        told.passedOver(partition, new Span(from, next), words);
      }
    }
  }

  /** A damaged batch fails at each of its offsets. */
  private boolean isReadableAt(
      TopicPartition partition,
      long next,
      Map<TopicPartition, Span> spans,
      Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> fetched) {
    long startNanos = System.nanoTime();
    try {
      while (queue(fetched, partition).isEmpty() && consumer.position(partition) == next) {
        poll(spans, fetched);
        requirePatience(startNanos);
      }
      return true;
    } catch (KafkaException e) {
      if (BrokenBatch.in(e) == null) {
        throw e;
      }
      return false;
    }
  }

  private void requirePatience(long heardNanos) {
    if (System.nanoTime() - heardNanos > PATIENCE.toNanos()) {
      throw new IllegalStateException(
          what + ": the broker has sent nothing for " + PATIENCE.toSeconds() + " s");
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
