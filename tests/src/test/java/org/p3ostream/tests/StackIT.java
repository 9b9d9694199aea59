package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;

/** The local stack survives what happens to processes. Has a stack of its own: it kills it. */
class StackIT {

  @TempDir private static Path directory;
  private static LocalStack stack;

  @BeforeAll
  static void start() {
    stack = LocalStack.start(directory);
  }

  @AfterAll
  static void closeEndsBothProcesses() {
    List<ChildProcess> processes = stack.processes();
    stack.close();
    assertThat(processes).noneMatch(ChildProcess::isAlive);
  }

  @Test
  void brokerKeepsAcknowledgedRecordsWhenKilledAndRestarted() throws Exception {
    TopicPartition partition = new TopicPartition("kept", 0);
    publish(stack, partition, "value");
    String address = stack.bootstrapServers();

    stack.broker().process().kill();
    stack.broker().restart();

    assertThat(stack.bootstrapServers()).isEqualTo(address);
    assertThat(firstValue(stack, partition)).isEqualTo("value");
  }

  @Test
  void registryKeepsAcknowledgedSchemasWhenKilledAndRestarted() {
    MetricPoint point = point();
    byte[] bytes;
    try (RecordCodec codec = codec(stack)) {
      bytes = codec.encode("metrics", point);
    }

    stack.registry().process().kill();
    stack.registry().restart();

    try (RecordCodec fresh = codec(stack)) { // knows no schema yet: it has to ask
      assertThat(fresh.decode("metrics", bytes)).isEqualTo(new Decoded.Accepted(point));
    }
  }

  @Test
  void stackKeepsRecordsAndSchemasWhenKilledAndStartedOnOtherPorts(@TempDir Path moved)
      throws Exception {
    TopicPartition partition = new TopicPartition("kept", 0);
    MetricPoint point = point();
    byte[] bytes;
    String address;
    try (LocalStack first = LocalStack.start(moved)) {
      address = first.bootstrapServers();
      publish(first, partition, "value");
      try (RecordCodec codec = codec(first)) {
        bytes = codec.encode("metrics", point);
      }
      first.processes().forEach(ChildProcess::kill);
    }

    try (LocalStack second = LocalStack.start(moved)) {
      assertThat(second.bootstrapServers()).isNotEqualTo(address);
      assertThat(firstValue(second, partition)).isEqualTo("value");
      try (RecordCodec codec = codec(second)) {
        assertThat(codec.decode("metrics", bytes)).isEqualTo(new Decoded.Accepted(point));
      }
    }
  }

  private static void publish(LocalStack stack, TopicPartition partition, String value)
      throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1))).all().get();
    }
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.bootstrapServers(), "acks", "all"),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>(partition.topic(), "key", value)).get();
    }
  }

  private static MetricPoint point() {
    return MetricPoint.newBuilder()
        .setRunId("r")
        .setName("reward")
        .setStep(1)
        .setValue(0.5)
        .setUnit("1")
        .setEventTime(0)
        .build();
  }

  private static String firstValue(LocalStack stack, TopicPartition partition) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", stack.bootstrapServers(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      while (consumer.position(partition) == 0) {
        for (var record : consumer.poll(Duration.ofMillis(100))) {
          return record.value();
        }
      }
      throw new AssertionError("the record is gone");
    }
  }

  private static RecordCodec codec(LocalStack stack) {
    return RecordCodec.create(
        RegistryAvroSerializer.class.getName(),
        RegistryAvroDeserializer.class.getName(),
        Map.of("schema.registry.url", stack.registryUrl()));
  }
}
