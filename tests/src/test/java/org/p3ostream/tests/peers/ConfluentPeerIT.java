package org.p3ostream.tests.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.deploy.stack.SchemaRegistry;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.tests.support.LocalStackExtension;

/** Confluent's own serializer and deserializer inside ordinary Kafka clients. */
@Tag("peers")
@ExtendWith(LocalStackExtension.class)
class ConfluentPeerIT {

  static final String SERIALIZER = "io.confluent.kafka.serializers.KafkaAvroSerializer";
  static final String DESERIALIZER = "io.confluent.kafka.serializers.KafkaAvroDeserializer";

  @ParameterizedTest(name = "specific.avro.reader={0}")
  @ValueSource(booleans = {false, true})
  void confluentReadsEveryRecordTypeWithExactValues(boolean specific, LocalStack stack)
      throws Exception {
    try (PeerRun run = new PeerRun(stack)) {
      run.publish();

      List<Integer> ids =
          WholeLog.read(stack, run.topics()).stream()
              .map(record -> ReceivedRecord.schemaId(record.value()))
              .distinct()
              .toList();
      List<ConsumerRecord<byte[], IndexedRecord>> received =
          WholeLog.read(
              stack,
              run.topics(),
              DESERIALIZER,
              Map.of("specific.avro.reader", Boolean.toString(specific)));

      assertThat(received)
          .allSatisfy(r -> assertThat(r.value() instanceof SpecificRecord).isEqualTo(specific));
      Map<String, Integer> known = run.schemaIds();
      assertThat(ids).containsExactlyInAnyOrderElementsOf(known.values());
      run.assertReceived(
          received.stream()
              .map(r -> ReceivedRecord.of(r, known.get(typeOf(r.value())), r.value()))
              .toList());
    }
  }

  @ParameterizedTest(name = "generic={0}")
  @ValueSource(booleans = {true, false})
  void whatConfluentWritesIsReadHereWithExactValuesAndAddsNoSchema(
      boolean generic, LocalStack stack) throws Exception {
    try (PeerRun run = new PeerRun(stack);
        KafkaProducer<byte[], Object> producer = producer(stack)) {
      Map<String, String> before = run.versions();
      Map<String, Integer> ids = run.schemaIds();
      List<Future<RecordMetadata>> sent = new ArrayList<>();

      for (PlacedRecord record : run.records()) {
        Object value =
            generic
                ? generic(run.registry().schemaById(ids.get(record.type())), record.value())
                : record.value();
        sent.add(
            producer.send(
                new ProducerRecord<>(
                    record.topic().name(), record.partition(), record.key(), value)));
      }
      for (Future<RecordMetadata> record : sent) {
        record.get();
      }

      run.assertReceived(run.consume());
      assertThat(run.versions()).isEqualTo(before);
    }
  }

  @Test
  void bothSerializersShareOneVersionWhicheverRegistersFirst(@TempDir Path directory)
      throws Exception {
    try (SchemaRegistry registry = SchemaRegistry.launch(directory, 0)) {
      registry.awaitReady();
      Map<String, String> settings = Map.of("schema.registry.url", registry.url());
      try (RecordCodec confluent = RecordCodec.create(SERIALIZER, DESERIALIZER, settings);
          RecordCodec ours =
              RecordCodec.create(
                  RegistryAvroSerializer.class.getName(),
                  RegistryAvroDeserializer.class.getName(),
                  settings)) {
        for (Schema schema : RecordTypes.schemas()) {
          SpecificRecord record = ExtremeRecords.of(schema).get(0);
          int first = ReceivedRecord.schemaId(confluent.encode("t", record));
          assertThat(ReceivedRecord.schemaId(ours.encode("t", record))).isEqualTo(first);
        }
      }
      assertThat(PeerRun.versions(registry.url()).values()).containsOnly("[1]");
    }
  }

  /** As a client would hold it that knows the registry's schema and none of our classes. */
  private static GenericRecord generic(Schema schema, SpecificRecord record) {
    return PeerJson.record(schema, PeerJson.of(record.getSchema(), record));
  }

  private static String typeOf(IndexedRecord record) {
    return record.getSchema().getFullName();
  }

  private static KafkaProducer<byte[], Object> producer(LocalStack stack) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers",
            stack.bootstrapServers(),
            "schema.registry.url",
            stack.registryUrl(),
            "acks",
            "all",
            "key.serializer",
            ByteArraySerializer.class.getName(),
            "value.serializer",
            SERIALIZER,
            "value.subject.name.strategy",
            "io.confluent.kafka.serializers.subject.RecordNameStrategy",
            "avro.remove.java.properties",
            "true"));
  }
}
