package org.p3ostream.tests.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.runtime.LearnerClients;
import org.p3ostream.schemas.registry.SchemaRegistryClient;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** The topics of a run with this project's own clients: a learner's, transactions included. */
final class PeerRun implements AutoCloseable {

  private final LocalStack stack;
  private final P3oConfig config;
  private final RoleClients clients;
  private final LearnerClients learner;
  private final SchemaRegistryClient registry;
  private final List<PlacedRecord> records;

  PeerRun(LocalStack stack) throws Exception {
    this.stack = stack;
    String prefix = "peer" + UUID.randomUUID().toString().substring(0, 8) + ".";
    config =
        ConfigLoader.load(
            null,
            List.of(
                "kafka.bootstrap.servers=" + stack.bootstrapServers(),
                "registry.url=" + stack.registryUrl(),
                "run.topicPrefix=" + prefix));
    clients = new RoleClients(config);
    learner = clients.learner(config.learnerSettings(Map.of()));
    registry = new SchemaRegistryClient(config.registry());
    learner
        .admin()
        .createTopics(topics().all().stream().map(PeerRun::request).toList())
        .all()
        .get();
    learner.subjects().provision(RecordTypes.schemas());
    learner.producer().initTransactions();
    records =
        RecordTypes.schemas().stream()
            .sorted(Comparator.comparing(Schema::getFullName))
            .flatMap(schema -> ExtremeRecords.of(schema).stream())
            .map(record -> PlacedRecord.of(topics(), record))
            .toList();
  }

  private static NewTopic request(TopicSpec topic) {
    return new NewTopic(topic.name(), topic.partitions(), (short) 1).configs(topic.settings());
  }

  LocalStack stack() {
    return stack;
  }

  TopicCatalogue topics() {
    return new TopicCatalogue(config.run().topicPrefix());
  }

  /** Records of every type, all values of every field among them. */
  List<PlacedRecord> records() {
    return records;
  }

  /** Publishes all records in one transaction, as a learner does. */
  void publish() throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    learner.producer().beginTransaction();
    for (PlacedRecord record : records) {
      byte[] value = learner.codec().encode(record.topic().name(), record.value());
      sent.add(
          learner
              .producer()
              .send(
                  new ProducerRecord<>(
                      record.topic().name(), record.partition(), record.key(), value)));
    }
    learner.producer().commitTransaction();
    for (Future<RecordMetadata> record : sent) {
      record.get();
    }
  }

  /** Everything on the topics, as this project's codec reads it. */
  List<ReceivedRecord> consume() {
    List<ReceivedRecord> received = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : WholeLog.read(stack, learner.ledger(), topics())) {
      Decoded decoded = learner.codec().decode(record.topic(), record.value());
      assertThat(decoded).isInstanceOf(Decoded.Accepted.class);
      SpecificRecord value = ((Decoded.Accepted) decoded).record();
      received.add(ReceivedRecord.of(record, ReceivedRecord.schemaId(record.value()), value));
    }
    return received;
  }

  /** Every record arrived once, in the order of its partition, with every value as published. */
  void assertReceived(List<ReceivedRecord> received) {
    Map<String, Integer> ids = schemaIds();
    Map<TopicPartition, List<ReceivedRecord>> expected =
        byPartition(records.stream().map(r -> r.asReceived(ids.get(r.type()))).toList());
    Map<TopicPartition, List<ReceivedRecord>> actual = byPartition(received);
    assertThat(actual.keySet()).isEqualTo(expected.keySet());
    expected.forEach(
        (partition, list) -> {
          assertThat(actual.get(partition)).as(partition.toString()).hasSameSizeAs(list);
          for (int i = 0; i < list.size(); i++) {
            assertThat(actual.get(partition).get(i))
                .as("record %d of %s", i, partition)
                .isEqualTo(list.get(i));
          }
        });
  }

  private static Map<TopicPartition, List<ReceivedRecord>> byPartition(
      List<ReceivedRecord> records) {
    Map<TopicPartition, List<ReceivedRecord>> sorted =
        new TreeMap<>(Comparator.comparing(TopicPartition::toString));
    records.forEach(r -> sorted.computeIfAbsent(r.partition(), p -> new ArrayList<>()).add(r));
    return sorted;
  }

  /** A client of the run's registry. */
  SchemaRegistryClient registry() {
    return registry;
  }

  /** Id of this project's schema by subject. */
  Map<String, Integer> schemaIds() {
    Map<String, Integer> ids = new TreeMap<>();
    for (Schema schema : RecordTypes.schemas()) {
      String subject = schema.getFullName();
      ids.put(subject, registry.lookUp(subject, schema).orElseThrow().id());
    }
    return ids;
  }

  /** Versions of every subject, as the registry lists them. */
  Map<String, String> versions() throws Exception {
    return versions(stack.registryUrl());
  }

  static Map<String, String> versions(String registryUrl) throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    Map<String, String> versions = new TreeMap<>();
    for (Schema schema : RecordTypes.schemas()) {
      URI uri = URI.create(registryUrl + "/subjects/" + schema.getFullName() + "/versions");
      JsonNode answer =
          PeerJson.parse(
              http.send(
                      HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body());
      versions.put(schema.getFullName(), answer.toString());
    }
    return versions;
  }

  @Override
  public void close() throws Exception {
    clients.close();
  }
}
