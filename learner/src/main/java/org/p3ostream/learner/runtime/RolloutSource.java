package org.p3ostream.learner.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicSpec;

/** Reads `rollouts`: forward into the intake, or by coordinate when windows are executed again. */
final class RolloutSource {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PROBE = Duration.ofSeconds(5);

  private final Consumer<byte[], byte[]> consumer;
  private final PatientDecoder decoder;
  private final TopicSpec topic;
  private final ArrayDeque<ConsumerRecord<byte[], byte[]>> unread = new ArrayDeque<>();

  RolloutSource(Consumer<byte[], byte[]> consumer, RecordCodec codec, TopicSpec topic) {
    this.consumer = consumer;
    this.decoder = new PatientDecoder(codec, topic.name());
    this.topic = topic;
    List<TopicPartition> partitions = new ArrayList<>();
    for (int partition = 0; partition < topic.partitions(); partition++) {
      partitions.add(new TopicPartition(topic.name(), partition));
    }
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Goes to where the ledger says that consumption stands. */
  void resume(List<PartitionProgress> progress) {
    unread.clear();
    consumer.resume(consumer.paused());
    consumer.seekToBeginning(consumer.assignment());
    for (PartitionProgress partition : progress) {
      consumer.seek(
          new TopicPartition(topic.name(), partition.getPartition()), partition.getNextOffset());
    }
  }

  /**
   * Hands what arrives within a moment to the intake, until that is full: the rest is handed over
   * by the next calls, before anything else is polled.
   */
  void pollInto(Intake intake, long currentVersion) {
    pollInto(intake, currentVersion, POLL);
  }

  /** The same with what has arrived already. */
  void drainInto(Intake intake, long currentVersion) {
    pollInto(intake, currentVersion, Duration.ZERO);
  }

  private void pollInto(Intake intake, long currentVersion, Duration wait) {
    if (unread.isEmpty()) {
      consumer.poll(wait).forEach(unread::add);
    }
    while (!unread.isEmpty() && !intake.isFull()) {
      ConsumerRecord<byte[], byte[]> record = unread.remove();
      byte[] value = record.value();
      intake.accept(
          new RolloutCoordinate(record.partition(), record.offset()),
          value == null ? 0 : value.length,
          decoder.decode(value),
          currentVersion);
    }
    if (unread.isEmpty()) {
      passHoles(intake);
    }
  }

  /** The consumer's position lies behind markers and aborted records that it never hands out. */
  private void passHoles(Intake intake) {
    for (int partition : intake.partitions()) {
      intake
          .cursor(partition)
          .advanceTo(consumer.position(new TopicPartition(topic.name(), partition)));
    }
  }

  /**
   * Makes sure that the broker answers.
   *
   * @throws TimeoutException if it does not within a moment
   */
  void probe() {
    consumer.endOffsets(consumer.assignment(), PROBE);
  }

  /**
   * Whether everything visible was handed over; false if the broker does not answer in a moment.
   */
  boolean hasCaughtUp() {
    try {
      return unread.isEmpty()
          && consumer.endOffsets(consumer.assignment(), PROBE).entrySet().stream()
              .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    } catch (TimeoutException e) {
      return false;
    }
  }

  /**
   * Goes back to the first of some records that were trained before; {@link #read} then finds them.
   *
   * @param firstOffsets by partition; partitions that are not named are not read
   */
  void rewind(Map<Integer, Long> firstOffsets) {
    consumer.pause(consumer.assignment());
    Set<TopicPartition> reading = new HashSet<>();
    firstOffsets.forEach(
        (partition, first) -> {
          TopicPartition topicPartition = new TopicPartition(topic.name(), partition);
          consumer.seek(topicPartition, first);
          reading.add(topicPartition);
        });
    consumer.resume(reading);
  }

  /** Hands wanted rollout groups that arrive within a moment to {@code found}. */
  void read(Set<RolloutCoordinate> wanted, Map<RolloutCoordinate, RolloutGroup> found) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      RolloutCoordinate coordinate = new RolloutCoordinate(record.partition(), record.offset());
      if (wanted.contains(coordinate)
          && decoder.decode(record.value()) instanceof Decoded.Accepted accepted
          && accepted.record() instanceof RolloutGroup group) {
        found.put(coordinate, group);
      }
    }
  }

  /** Whether everything visible in the partitions being read has been read. */
  boolean atEnd() {
    Set<TopicPartition> reading = new HashSet<>(consumer.assignment());
    reading.removeAll(consumer.paused());
    Map<TopicPartition, Long> ends = consumer.endOffsets(reading);
    return reading.stream()
        .allMatch(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
  }
}
