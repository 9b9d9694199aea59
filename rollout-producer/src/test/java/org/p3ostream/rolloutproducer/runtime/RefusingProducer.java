package org.p3ostream.rolloutproducer.runtime;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A mock producer whose broker may refuse large values: in the callback, and at the next call. */
final class RefusingProducer extends MockProducer<byte[], byte[]> {
  private int largestValueBytes = Integer.MAX_VALUE;
  private boolean refused;

  RefusingProducer() {
    super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  void refuseAbove(int valueBytes) {
    largestValueBytes = valueBytes;
  }

  @Override
  public synchronized Future<RecordMetadata> send(
      ProducerRecord<byte[], byte[]> record, Callback callback) {
    if (record.value().length <= largestValueBytes) {
      return super.send(record, callback);
    }
    refused = true;
    RecordTooLargeException failure = new RecordTooLargeException("too large");
    callback.onCompletion(null, failure);
    return CompletableFuture.failedFuture(failure);
  }

  @Override
  public synchronized void sendOffsetsToTransaction(
      Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata members) {
    if (refused) {
      refused = false;
      throw new KafkaException("in an error state", new RecordTooLargeException("too large"));
    }
    super.sendOffsetsToTransaction(offsets, members);
  }
}
