package org.p3ostream.tests.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.schemas.topic.RecordKeys;

/** The view of a producer that takes over the weights of every k-th version only. */
public final class PeriodicSnapshots {

  private PeriodicSnapshots() {}

  /** The same clients, but for the snapshots of versions that are no multiple of the interval. */
  public static ProducerClients of(ProducerClients clients, int interval) {
    return new ProducerClients(
        clients.admin(),
        clients.producer(),
        clients.prompts(),
        periodic(clients.snapshots(), interval),
        clients.codec());
  }

  @SuppressWarnings("unchecked")
  private static Consumer<byte[], byte[]> periodic(Consumer<byte[], byte[]> all, int interval) {
    return (Consumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            PeriodicSnapshots.class.getClassLoader(),
            new Class<?>[] {Consumer.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(all, arguments);
                return result instanceof ConsumerRecords<?, ?> records
                    ? thinned((ConsumerRecords<byte[], byte[]>) records, interval)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static ConsumerRecords<byte[], byte[]> thinned(
      ConsumerRecords<byte[], byte[]> records, int interval) {
    Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> kept = new HashMap<>();
    for (TopicPartition partition : records.partitions()) {
      kept.put(
          partition,
          records.records(partition).stream()
              .filter(record -> RecordKeys.number(record.key()).orElseThrow() % interval == 0)
              .toList());
    }
    return new ConsumerRecords<>(kept, records.nextOffsets());
  }
}
