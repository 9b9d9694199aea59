package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.KafkaBroker;
import org.p3ostream.deploy.stack.KafkaCluster;

/** Three brokers do without the one that is killed or stopped, and take it back. */
@Tag("endurance")
class ClusterIT {

  private static final TopicPartition PARTITION = new TopicPartition("kept", 0);

  @TempDir private static Path directory;

  @Test
  void clusterKeepsEveryRecordOnceWhenItsLeadersAreKilledAndStopped() throws Exception {
    List<ChildProcess> processes;
    try (KafkaCluster cluster = KafkaCluster.start(directory, 3)) {
      createTopic(cluster);
      try (KafkaProducer<String, String> producer = producer(cluster)) {
        send(producer, "first");

        KafkaBroker killed = cluster.leaderOf(PARTITION);
        killed.process().kill();
        send(producer, "after the kill");
        killed.restart();
        cluster.awaitInSync();

        KafkaBroker stopped = cluster.leaderOf(PARTITION);
        stopped.process().pause();
        send(producer, "after the stop");
        stopped.process().resume();
        cluster.awaitInSync();

        send(producer, "last");
      }
      assertThat(values(cluster))
          .containsExactly("first", "after the kill", "after the stop", "last");
      processes = cluster.processes();
    }
    assertThat(processes).hasSize(3).noneMatch(ChildProcess::isAlive);
  }

  private static void createTopic(KafkaCluster cluster) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 3))).all().get();
    }
    cluster.awaitInSync();
  }

  private static KafkaProducer<String, String> producer(KafkaCluster cluster) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", cluster.bootstrapServers(),
            "acks", "all",
            "enable.idempotence", "true",
            "request.timeout.ms", "3000"),
        new StringSerializer(),
        new StringSerializer());
  }

  private static void send(KafkaProducer<String, String> producer, String value) throws Exception {
    producer.send(new ProducerRecord<>(PARTITION.topic(), "key", value)).get();
  }

  private static List<String> values(KafkaCluster cluster) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", cluster.bootstrapServers(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
      List<String> values = new ArrayList<>();
      while (consumer.position(PARTITION) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
      return values;
    }
  }
}
