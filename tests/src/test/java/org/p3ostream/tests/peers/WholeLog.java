package org.p3ostream.tests.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.support.Markers;

/** All committed records of a run. */
final class WholeLog {

  private WholeLog() {}

  /** Values as bytes. */
  static List<ConsumerRecord<byte[], byte[]>> read(LocalStack stack, TopicCatalogue topics) {
    return read(stack, topics, ByteArrayDeserializer.class.getName(), Map.of());
  }

  /** Values as a deserializer returns them. */
  static <V> List<ConsumerRecord<byte[], V>> read(
      LocalStack stack,
      TopicCatalogue topics,
      String valueDeserializer,
      Map<String, String> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", stack.bootstrapServers());
    all.put("schema.registry.url", stack.registryUrl());
    all.put("isolation.level", "read_committed");
    all.put("key.deserializer", ByteArrayDeserializer.class.getName());
    all.put("value.deserializer", valueDeserializer);
    try (Consumer<byte[], V> consumer = new KafkaConsumer<>(all)) {
      return read(stack, consumer, topics);
    }
  }

  /** With a consumer that subscribes to nothing. */
  static <V> List<ConsumerRecord<byte[], V>> read(
      LocalStack stack, Consumer<byte[], V> consumer, TopicCatalogue topics) {
    List<TopicPartition> partitions =
        topics.all().stream()
            .flatMap(
                topic ->
                    IntStream.range(0, topic.partitions())
                        .mapToObj(partition -> new TopicPartition(topic.name(), partition)))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = Markers.written(stack.bootstrapServers(), partitions);
    List<ConsumerRecord<byte[], V>> found = new ArrayList<>();
    while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
      consumer.poll(Duration.ofMillis(100)).forEach(found::add);
    }
    return found;
  }
}
