package org.p3ostream.streams.topology;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * The time of a record is when it was sent: the nearest there is to when it became visible. What a
 * record says about itself is {@link EventTime}. Never negative, for Kafka Streams drops such
 * records.
 */
final class SentTime implements TimestampExtractor {

  @Override
  public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
    return Math.max(0, record.timestamp());
  }
}
