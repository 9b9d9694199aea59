package org.p3ostream.tests.faults;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Ends a producer in the middle of a transaction: when the broker has acknowledged a record of it.
 * A consumer's interceptor as well, since both take theirs from the same property.
 */
public final class HaltingInterceptor
    implements ProducerInterceptor<byte[], byte[]>, ConsumerInterceptor<byte[], byte[]> {

  /** System property: after how many acknowledged records. */
  public static final String PROPERTY = "p3o.test.haltAfter";

  /** Exit status of the process. */
  public static final int STATUS = 67;

  private static final AtomicInteger acknowledged = new AtomicInteger();

  @Override
  public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
    if (exception == null && acknowledged.incrementAndGet() == Integer.getInteger(PROPERTY)) {
      Runtime.getRuntime().halt(STATUS);
    }
  }

  @Override
  public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
    return record;
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> configs) {}
}
