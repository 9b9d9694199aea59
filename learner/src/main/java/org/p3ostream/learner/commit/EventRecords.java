package org.p3ostream.learner.commit;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.learner.window.Rejection;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * The bytes of an event and of what travels with it, each with topic, partition and key.
 *
 * @param topics of the run that is written
 * @param codec of values
 * @param snapshots cuts weights into chunks
 */
public record EventRecords(TopicCatalogue topics, RecordCodec codec, SnapshotEncoder snapshots) {

  /** Largest event, bytes. A broker takes records of 1 MiB unless it is told otherwise. */
  static final int MAX_EVENT_BYTES = 1_000_000;

  /**
   * The record of an event.
   *
   * @throws IllegalStateException if it is too large for a ledger record
   */
  ProducerRecord<byte[], byte[]> event(StepEvent event) {
    ProducerRecord<byte[], byte[]> record =
        record(topics.steps(), 0, RecordKeys.of(event.getStep()), event);
    requireBounded(event, record.value().length);
    return record;
  }

  /** What an event lists is bounded where it comes from; a list that is not must not be sent. */
  private static void requireBounded(StepEvent event, int bytes) {
    if (bytes > MAX_EVENT_BYTES) {
      StepMetrics metrics = event.getMetrics();
      throw new IllegalStateException(
          ("%s event of step %d takes %d bytes, more than the %d that a ledger record may: %d groups"
                  + " trained, %d dispatched, %d records skipped, ratio statistics of %d versions,"
                  + " %d micro-batches")
              .formatted(
                  event.getKind(),
                  event.getStep(),
                  bytes,
                  MAX_EVENT_BYTES,
                  event.getWindow().size(),
                  event.getDispatched().size(),
                  event.getSkipped().size(),
                  event.getRatioStatistics().size(),
                  metrics == null ? 0 : metrics.getMicroBatchEss().size()));
    }
  }

  /**
   * The records of a snapshot, its manifest last.
   *
   * @param weights flat float32 little-endian bytes
   */
  List<ProducerRecord<byte[], byte[]>> snapshot(long version, long step, byte[] weights) {
    SnapshotEncoder.Encoded snapshot = snapshots.encode(version, step, weights);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (SpecificRecord chunk : snapshot.chunks()) {
      records.add(record(topics.snapshots(), 0, RecordKeys.of(version), chunk));
    }
    records.add(record(topics.snapshots(), 0, RecordKeys.of(version), snapshot.manifest()));
    return records;
  }

  ProducerRecord<byte[], byte[]> prompt(PromptTask prompt) {
    return record(
        topics.prompts(),
        topics.prompts().partitionOf(prompt.getGroupId()),
        RecordKeys.of(prompt.getGroupId()),
        prompt);
  }

  /**
   * The dead letter of a record of this run's rollouts.
   *
   * @param rejectedAtMs milliseconds since the epoch
   */
  ProducerRecord<byte[], byte[]> deadLetter(String runId, Rejection rejection, long rejectedAtMs) {
    Rejection.Origin origin = rejection.origin();
    DeadLetter letter =
        DeadLetter.newBuilder()
            .setRunId(runId)
            .setSourceTopic(topics.rollouts().name())
            .setSourcePartition(rejection.coordinate().partition())
            .setSourceOffset(rejection.coordinate().recordOffset())
            .setReason(rejection.reason())
            .setField(rejection.field())
            .setCause(rejection.cause())
            .setGroupId(origin == null ? null : origin.groupId())
            .setAttempt(origin == null ? null : origin.attempt())
            .setProducerId(origin == null ? null : origin.producerId())
            .setValueBytes(rejection.valueBytes())
            .setRejectedAt(rejectedAtMs)
            .build();
    return record(
        topics.deadLetters(), 0, RecordKeys.of(rejection.coordinate().toString()), letter);
  }

  /** A partition of this run's rollouts. */
  TopicPartition rollouts(int partition) {
    return new TopicPartition(topics.rollouts().name(), partition);
  }

  private ProducerRecord<byte[], byte[]> record(
      TopicSpec topic, int partition, byte[] key, SpecificRecord value) {
    return new ProducerRecord<>(topic.name(), partition, key, codec.encode(topic.name(), value));
  }
}
