package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.serde.RecordCodec;

/**
 * Reads stretches of one topic in the order of time: records of a partition in their order, records
 * of different partitions by their timestamps. Clients belong to the caller.
 */
public final class TopicReader {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration BROKER_PATIENCE = Duration.ofSeconds(3);

  /** How much longer every further step back is than the one before. */
  private static final int STRIDE = 8;

  private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
  private final MergedReader merged;
  private final RecordCodec codec;
  private final String topic;
  private final List<TopicPartition> partitions;
  private final BrokerWatch broker;

  /**
   * @param consumer read_committed, without a group; its assignment is taken over
   * @param partitions how many the topic has
   * @param notice told if the broker goes while it is followed
   */
  public TopicReader(
      org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
      RecordCodec codec,
      String topic,
      int partitions,
      Consumer<String> notice) {
    this.consumer = consumer;
    this.merged = new MergedReader(consumer, topic);
    this.codec = codec;
    this.topic = topic;
    this.broker = new BrokerWatch(notice, System.nanoTime());
    this.partitions =
        IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList();
  }

  String topic() {
    return topic;
  }

  List<TopicPartition> partitions() {
    return partitions;
  }

  /** The partition of a group's records. */
  TopicPartition partitionOf(long groupId) {
    return partitions.get(Math.floorMod(groupId, partitions.size()));
  }

  /** Everything that is committed at the time of the call. */
  Map<TopicPartition, Span> everything() {
    return spans(partitions, consumer.beginningOffsets(partitions));
  }

  /** What was written at {@code epochMillis} or later and is committed at the time of the call. */
  Map<TopicPartition, Span> since(long epochMillis) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    return spans(partitions, offsetsAt(partitions, epochMillis, ends));
  }

  /** What was written before {@code epochMillis} into some of the partitions. */
  Map<TopicPartition, Span> before(long epochMillis, Collection<TopicPartition> some) {
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(some);
    Map<TopicPartition, Long> ends = offsetsAt(some, epochMillis, consumer.endOffsets(some));
    return some.stream()
        .collect(Collectors.toMap(p -> p, p -> new Span(at(begins, p), at(ends, p))));
  }

  /** Reads {@code spans} until {@code visit} is false. */
  void forward(Map<TopicPartition, Span> spans, Predicate<LogEntry> visit) {
    merged.forward(spans, record -> visit.test(entry(record)));
  }

  /**
   * Reads {@code spans} from their ends back to their beginnings, a stretch at a time; records of a
   * stretch in the order of time.
   *
   * @param firstStretch offsets of the first stretch of a partition; the following are longer
   * @param enough tells of a partition that its older records are not needed; asked between
   *     stretches
   */
  void backward(
      Map<TopicPartition, Span> spans,
      long firstStretch,
      Consumer<LogEntry> visit,
      Predicate<TopicPartition> enough) {
    Map<TopicPartition, Span> left = new HashMap<>(spans);
    long stretch = firstStretch;
    while (true) {
      left.entrySet().removeIf(e -> e.getValue().isEmpty() || enough.test(e.getKey()));
      if (left.isEmpty()) {
        return;
      }
      Map<TopicPartition, Span> next = new HashMap<>();
      for (Map.Entry<TopicPartition, Span> partition : left.entrySet()) {
        Span span = partition.getValue();
        long from = Math.max(span.nextOffset(), span.endOffset() - stretch);
        next.put(partition.getKey(), new Span(from, span.endOffset()));
        partition.setValue(new Span(span.nextOffset(), from));
      }
      forward(
          next,
          entry -> {
            visit.accept(entry);
            return true;
          });
      stretch *= STRIDE;
    }
  }

  /** Goes on behind {@code spans}: {@link #poll} gives what is committed from now on. */
  void follow(Map<TopicPartition, Span> spans) {
    consumer.assign(spans.keySet());
    consumer.resume(spans.keySet());
    spans.forEach((partition, span) -> consumer.seek(partition, span.endOffset()));
  }

  /**
   * The next records after {@link #follow}; empty if none came for a while. Tells if the broker has
   * gone.
   */
  List<LogEntry> poll() {
    List<LogEntry> entries = new ArrayList<>();
    consumer.poll(POLL).forEach(record -> entries.add(entry(record)));
    if (entries.isEmpty()) {
      broker.silent(
          System.nanoTime(), () -> consumer.endOffsets(consumer.assignment(), BROKER_PATIENCE));
    } else {
      broker.heard(System.nanoTime());
    }
    return entries;
  }

  /** Whether everything that is committed at the time of the call has been polled. */
  boolean isAtEnd() {
    return consumer.endOffsets(partitions).entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  /** Makes the thread that reads throw a WakeupException. Safe from any thread. */
  void wakeup() {
    consumer.wakeup();
  }

  private LogEntry entry(ConsumerRecord<byte[], byte[]> record) {
    return new LogEntry(
        record.topic(),
        record.partition(),
        record.offset(),
        record.timestamp(),
        codec.decode(record.topic(), record.value()));
  }

  private Map<TopicPartition, Long> offsetsAt(
      Collection<TopicPartition> some, long epochMillis, Map<TopicPartition, Long> otherwise) {
    Map<TopicPartition, OffsetAndTimestamp> found =
        consumer.offsetsForTimes(
            some.stream().collect(Collectors.toMap(p -> p, p -> Math.max(0, epochMillis))));
    Map<TopicPartition, Long> offsets = new HashMap<>(otherwise);
    found.forEach(
        (partition, position) -> {
          if (position != null) {
            offsets.put(partition, position.offset());
          }
        });
    return offsets;
  }

  private Map<TopicPartition, Span> spans(
      Collection<TopicPartition> some, Map<TopicPartition, Long> nextOffsets) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(some);
    return some.stream()
        .collect(Collectors.toMap(p -> p, p -> new Span(at(nextOffsets, p), at(ends, p))));
  }

  private static long at(Map<TopicPartition, Long> offsets, TopicPartition partition) {
    return offsets.getOrDefault(partition, 0L);
  }
}
