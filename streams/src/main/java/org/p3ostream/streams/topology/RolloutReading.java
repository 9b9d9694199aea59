package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Every record of {@code rollouts} is a fact: one that cannot be read, or is of another run, is
 * visible all the same. Keys are replaced, for a foreign producer may send none and a record
 * without a key is no fact to Kafka Streams.
 */
final class RolloutReading extends ContextualProcessor<byte[], Decoded, String, Fact> {
  private final String runId;
  private final PassedOver passedOver;

  RolloutReading(String runId, PassedOver passedOver) {
    this.runId = runId;
    this.passedOver = passedOver;
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    RecordMetadata metadata = context().recordMetadata().orElseThrow();
    Coordinate at = new Coordinate(metadata.partition(), metadata.offset());
    Fact fact = fact(metadata.topic(), at, record.timestamp(), record.value());
    context().forward(record.withKey("rollout").withValue(fact));
  }

  private Fact fact(String topic, Coordinate at, long sentAt, Decoded value) {
    if (value instanceof Decoded.Rejected rejected) {
      passedOver.count(topic, at, rejected.reason(), rejected.cause());
      return RolloutFact.unreadable(at, sentAt);
    }
    Object held = ((Decoded.Accepted) value).record();
    if (!(held instanceof RolloutGroup group)) {
      passedOver.count(
          topic, at, RejectionReason.WRONG_RECORD_TYPE, held.getClass().getSimpleName());
      return RolloutFact.unreadable(at, sentAt);
    }
    if (!group.getRunId().equals(runId)) {
      passedOver.count(topic, at, RejectionReason.FOREIGN_RUN, "run " + group.getRunId());
      return RolloutFact.unreadable(at, sentAt);
    }
    return RolloutFact.of(at, sentAt, group);
  }
}
