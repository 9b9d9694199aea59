package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Every record of {@code rollouts} is a fact: one that cannot be read is visible all the same. Keys
 * are replaced, for a foreign producer may send none and a record without a key is no fact to Kafka
 * Streams.
 */
final class RolloutReading extends ContextualProcessor<byte[], Decoded, String, Fact> {
  private final PassedOver passedOver;

  RolloutReading(PassedOver passedOver) {
    this.passedOver = passedOver;
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    RecordMetadata metadata = context().recordMetadata().orElseThrow();
    Coordinate at = new Coordinate(metadata.partition(), metadata.offset());
    Fact fact = fact(metadata.topic(), at, record.value());
    context().forward(record.withKey("rollout").withValue(fact));
  }

  private Fact fact(String topic, Coordinate at, Decoded value) {
    if (value instanceof Decoded.Rejected rejected) {
      passedOver.count(topic, at, rejected.reason(), rejected.cause());
      return RolloutFact.unreadable(at);
    }
    Object held = ((Decoded.Accepted) value).record();
    if (held instanceof RolloutGroup group) {
      return RolloutFact.of(at, group);
    }
    passedOver.count(topic, at, RejectionReason.WRONG_RECORD_TYPE, held.getClass().getSimpleName());
    return RolloutFact.unreadable(at);
  }
}
