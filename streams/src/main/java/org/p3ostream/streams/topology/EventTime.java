package org.p3ostream.streams.topology;

import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Event time: end of generation of a rollout group, preparation of a ledger event; the time of the
 * record itself where neither can be read. A record cannot be older than zero nor tell of something
 * after it was sent: such a claim is replaced by the time of the record, for Kafka Streams drops
 * negative times and brokers refuse times far ahead, and either would let one foreign record stop
 * or distort the topology.
 */
final class EventTime implements TimestampExtractor {

  @Override
  public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
    long sentAt = Math.max(0, record.timestamp());
    long claimed = claimed(record.value(), sentAt);
    return claimed >= 0 && claimed <= sentAt ? claimed : sentAt;
  }

  private static long claimed(Object value, long otherwise) {
    if (value instanceof Decoded.Accepted accepted) {
      SpecificRecord record = accepted.record();
      if (record instanceof RolloutGroup group) {
        return group.getGeneratedAt();
      }
      if (record instanceof StepEvent event) {
        return event.getCommittedAt();
      }
    }
    return otherwise;
  }
}
