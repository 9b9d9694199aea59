package org.p3ostream.tests.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * Hands every committed record of a run to an audit as it comes, whatever happens to the broker.
 */
final class RunLog {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration QUESTION = Duration.ofSeconds(3);

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final IndependentAudit audit;
  private final List<TopicPartition> ledger;
  private final List<TopicPartition> others = new ArrayList<>();

  /**
   * @param consumer read_committed, without a group
   */
  RunLog(
      Consumer<byte[], byte[]> consumer,
      RecordCodec codec,
      TopicCatalogue topics,
      IndependentAudit audit) {
    this.consumer = consumer;
    this.codec = codec;
    this.audit = audit;
    this.ledger = List.of(new TopicPartition(topics.steps().name(), 0));
    for (TopicSpec topic :
        List.of(topics.rollouts(), topics.prompts(), topics.deadLetters(), topics.metrics())) {
      IntStream.range(0, topic.partitions())
          .forEach(partition -> others.add(new TopicPartition(topic.name(), partition)));
    }
    List<TopicPartition> all = new ArrayList<>(ledger);
    all.addAll(others);
    consumer.assign(all);
    consumer.seekToBeginning(all);
  }

  /** Takes what comes within a moment. */
  void poll(Duration timeout) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
      audit.take(record, codec.decode(record.topic(), record.value()));
    }
  }

  /** Takes everything that is committed now; the ledger's end is asked for first. */
  void catchUp() {
    Map<TopicPartition, Long> ends = new HashMap<>(ends(ledger));
    ends.putAll(ends(others));
    while (ends.entrySet().stream().anyMatch(end -> position(end.getKey()) < end.getValue())) {
      poll(Duration.ofMillis(50));
    }
  }

  private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
    return patiently(() -> consumer.endOffsets(partitions, QUESTION));
  }

  private long position(TopicPartition partition) {
    return patiently(() -> consumer.position(partition, QUESTION));
  }

  private static <T> T patiently(java.util.function.Supplier<T> question) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return question.get();
      } catch (TimeoutException e) {
        if (System.nanoTime() > deadline) {
          throw new KafkaException("the broker does not answer", e);
        }
      }
    }
  }
}
