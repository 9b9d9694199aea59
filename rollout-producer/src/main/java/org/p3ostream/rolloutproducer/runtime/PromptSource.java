package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.p3ostream.rolloutproducer.backlog.PromptBacklog;
import org.p3ostream.rolloutproducer.backlog.PromptPosition;
import org.p3ostream.rolloutproducer.backlog.StartCount;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the backlog from this producer's share of the prompts topic and keeps it true to what is
 * owned: a partition that goes to another producer takes its prompts and results out of the backlog
 * within the poll that gives it away.
 */
final class PromptSource implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(PromptSource.class);

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final String topic;
  private final String runId;
  private final PromptBacklog<EncodedGroup> backlog;
  private final Tally tally;
  private final Outage broker;
  private final Clock clock;
  private final ArrayDeque<ConsumerRecord<byte[], byte[]>> undecoded = new ArrayDeque<>();
  private boolean markUnderWay;

  PromptSource(
      Consumer<byte[], byte[]> consumer,
      RecordCodec codec,
      String topic,
      String runId,
      PromptBacklog<EncodedGroup> backlog,
      Tally tally,
      Outage broker,
      Clock clock) {
    this.consumer = consumer;
    this.codec = codec;
    this.topic = topic;
    this.runId = runId;
    this.backlog = backlog;
    this.tally = tally;
    this.broker = broker;
    this.clock = clock;
  }

  void join() {
    consumer.subscribe(List.of(topic), this);
  }

  /**
   * Keeps the membership alive and takes what the open partitions have.
   *
   * @throws RegistryUnavailableException if a prompt could not be decoded yet; the next call goes
   *     on with it
   * @throws UnavailableException if partitions were assigned and the broker stays away
   */
  void poll(Duration timeout) {
    try {
      consumer.poll(timeout).forEach(undecoded::add);
    } catch (KafkaException e) {
      throw e.getCause() instanceof UnavailableException unavailable ? unavailable : e;
    }
    while (!undecoded.isEmpty()) {
      take(undecoded.getFirst());
      undecoded.removeFirst();
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    PromptPosition position =
        new PromptPosition(
            new TopicPartition(record.topic(), record.partition()),
            record.offset(),
            record.leaderEpoch());
    if (record.value() == null) {
      skip(position, "it has no value");
      return;
    }
    Decoded decoded = codec.decode(record.topic(), record.value());
    if (decoded instanceof Decoded.Rejected rejected) {
      skip(position, rejected.reason() + ": " + rejected.cause());
      return;
    }
    SpecificRecord content = ((Decoded.Accepted) decoded).record();
    if (!(content instanceof PromptTask task)) {
      skip(position, "it is a " + content.getSchema().getName());
    } else if (!task.getRunId().equals(runId)) {
      skip(position, "it belongs to run '" + task.getRunId() + "', not to '" + runId + "'");
    } else {
      backlog.add(position, task);
    }
  }

  private void skip(PromptPosition position, String cause) {
    log.warn("Skipped the prompt at {}: {}", position, cause);
    tally.promptSkipped();
    backlog.addSkipped(position);
  }

  /**
   * Opens all partitions while nothing is in hand; else closes them, except those that have nothing
   * in hand while the others are {@code blocked}.
   */
  void openPartitions(boolean blocked) {
    Set<TopicPartition> closed = new HashSet<>();
    if (!undecoded.isEmpty() || !(blocked || backlog.isEmpty())) {
      closed.addAll(consumer.assignment());
    } else {
      closed.addAll(backlog.partitions());
    }
    Set<TopicPartition> paused = consumer.paused();
    Set<TopicPartition> opened = new HashSet<>(paused);
    opened.removeAll(closed);
    closed.removeAll(paused);
    if (!opened.isEmpty()) {
      consumer.resume(opened);
    }
    if (!closed.isEmpty()) {
      consumer.pause(closed);
    }
  }

  /** Commits counts of starts without waiting; best effort. */
  void mark(Map<TopicPartition, OffsetAndMetadata> marks) {
    if (marks.isEmpty()) {
      return;
    }
    markUnderWay = true;
    consumer.commitAsync(
        marks,
        (offsets, failure) -> {
          markUnderWay = false;
          if (failure != null) {
            log.debug("Could not note the start of {}", offsets, failure);
          }
        });
  }

  /** Whether a mark may still reach the broker: it must not overtake a transaction's offsets. */
  boolean markUnderWay() {
    return markUnderWay;
  }

  ConsumerGroupMetadata groupMetadata() {
    return consumer.groupMetadata();
  }

  /** Gives everything in hand back. */
  void leave() {
    try {
      withdrawMarks(consumer.assignment());
    } catch (WakeupException e) { // left over from the request to stop
      withdrawMarks(consumer.assignment());
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    if (!partitions.isEmpty()) {
      broker.retry(() -> own(partitions), clock);
      log.info("Serves {}", partitions);
    }
  }

  private void own(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata offset = committed.get(partition);
      backlog.own(partition, offset == null ? 0 : StartCount.fromMetadata(offset.metadata()));
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    withdrawMarks(partitions);
    disown(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    disown(partitions);
  }

  private void disown(Collection<TopicPartition> partitions) {
    undecoded.removeIf(
        record -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
    backlog.disown(partitions);
    log.info("Gave {} away", partitions);
  }

  private void withdrawMarks(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> marks = backlog.withdrawnMarks(partitions);
    if (marks.isEmpty()) {
      return;
    }
    try {
      consumer.commitSync(marks);
    } catch (WakeupException e) {
      throw e;
    } catch (KafkaException e) {
      log.debug("Could not take back the starts noted at {}", marks, e);
    }
  }
}
