package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Every record of {@code rollouts} is a fact: one that cannot be read, or is of another run, is
 * visible all the same. Keys are replaced, for a foreign producer may send none and a record
 * without a key is no fact to Kafka Streams.
 */
final class RolloutReading extends ContextualProcessor<byte[], Decoded, String, Fact> {
  private final OwnRecords<RolloutGroup> groups;

  RolloutReading(String runId, PassedOver passedOver) {
    this.groups = new OwnRecords<>(runId, RolloutGroup.class, RolloutGroup::getRunId, passedOver);
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    RecordMetadata metadata = context().recordMetadata().orElseThrow();
    Coordinate at = new Coordinate(metadata.partition(), metadata.offset());
    RolloutGroup group = groups.read(metadata, record.value());
    Fact fact =
        group == null
            ? RolloutFact.unreadable(at, record.timestamp())
            : RolloutFact.of(at, record.timestamp(), group);
    context().forward(record.withKey("rollout").withValue(fact));
  }
}
