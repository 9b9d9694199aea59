package org.p3ostream.learner.ledger;

import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;

/** Reads the `steps` topic from its beginning to its end. */
public final class LedgerReader {

  /** Takes the events in order. */
  @FunctionalInterface
  public interface Sink {
    void event(StepEvent event, String eventHash);
  }

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final TopicPartition partition;

  /**
   * @param consumer read_committed, without a group
   */
  public LedgerReader(Consumer<byte[], byte[]> consumer, RecordCodec codec, String topic) {
    this.consumer = consumer;
    this.codec = codec;
    this.partition = new TopicPartition(topic, 0);
  }

  /**
   * Reads everything that is visible now.
   *
   * @throws LedgerException if a record is no step event, or its bytes were altered
   * @throws IllegalStateException if the broker goes away for long meanwhile
   */
  public void readAll(Sink sink) {
    try {
      readVisible(sink);
    } catch (KafkaException e) {
      String broken = BrokenBatch.in(e);
      throw broken == null ? e : new LedgerException(broken);
    }
  }

  private void readVisible(Sink sink) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    PatientPoll records = new PatientPoll(consumer, partition);
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : records.next()) {
        read(record, sink);
      }
    }
  }

  private void read(ConsumerRecord<byte[], byte[]> record, Sink sink) {
    StepEvent event = decode(record);
    try {
      sink.event(event, EventHash.of(record.value()));
    } catch (LedgerException e) {
      throw new LedgerException(
          "%s-%d@%d: %s"
              .formatted(record.topic(), record.partition(), record.offset(), e.getMessage()));
    }
  }

  private StepEvent decode(ConsumerRecord<byte[], byte[]> record) {
    Decoded decoded = codec.decode(record.topic(), record.value());
    if (decoded instanceof Decoded.Accepted accepted
        && accepted.record() instanceof StepEvent event) {
      return event;
    }
    throw new LedgerException(
        "%s-%d@%d is no step event: %s"
            .formatted(record.topic(), record.partition(), record.offset(), decoded));
  }
}
