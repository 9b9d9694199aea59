package org.p3ostream.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.golden.RecordSamples;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.p3ostream.schemas.serde.RegistryUnavailableException;

class RegistryAvroSerdeTest {

  private static final String TOPIC = "p3o.metrics";
  private static final String METRIC_POINT = MetricPoint.getClassSchema().getFullName();

  private RegistryServer server;
  private RegistryAvroSerializer serializer;
  private RegistryAvroDeserializer deserializer;

  static List<SpecificRecord> samples() {
    return RecordSamples.all();
  }

  @BeforeEach
  void startServer() throws IOException {
    server = new RegistryServer();
    serializer = new RegistryAvroSerializer();
    serializer.configure(server.config().settings(), false);
    deserializer = new RegistryAvroDeserializer();
    deserializer.configure(server.config().settings(), false);
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void deserializeGivesBackTheGeneratedRecord(SpecificRecord sample) {
    assertThat(deserializer.deserialize(TOPIC, serializer.serialize(TOPIC, sample)))
        .isInstanceOf(sample.getClass())
        .isEqualTo(sample);
  }

  @Test
  void serializeWritesTheWireHeader() {
    server.add("other", "AVRO", "\"long\"");

    byte[] bytes = serializer.serialize(TOPIC, RecordSamples.metricPoint());

    assertThat(Arrays.copyOf(bytes, 5)).containsExactly(0, 0, 0, 0, 2);
  }

  @Test
  void serializeRegistersAndSetsCompatibilityOncePerSubject() {
    serializer.serialize(TOPIC, RecordSamples.metricPoint());
    serializer.serialize("other topic", RecordSamples.metricPoint());

    String config = "/config/" + METRIC_POINT;
    assertThat(server.requests())
        .containsExactly(
            "POST /subjects/" + METRIC_POINT + "/versions",
            "GET " + config,
            "PUT " + config,
            "GET " + config);
    assertThat(server.level(METRIC_POINT)).isEqualTo("BACKWARD_TRANSITIVE");
  }

  @Test
  void serializeGivesGenericAndGeneratedRecordsTheSameBytes() {
    MetricPoint point = RecordSamples.metricPoint();
    GenericRecord generic =
        generic(new Schema.Parser().parse(RegisteredText.of(point.getSchema())), point);

    assertThat(serializer.serialize(TOPIC, generic)).isEqualTo(serializer.serialize(TOPIC, point));
  }

  @Test
  void serializeOnlyLooksUpWhenItMayNotRegister() {
    RegistryAvroSerializer reader = new RegistryAvroSerializer();
    Map<String, Object> settings = new HashMap<>(server.config().settings());
    settings.put("auto.register.schemas", false);
    reader.configure(settings, false);

    assertThatThrownBy(() -> reader.serialize(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining(METRIC_POINT)
        .hasMessageContaining("auto.register.schemas");
    byte[] bytes = serializer.serialize(TOPIC, RecordSamples.metricPoint());
    assertThat(reader.serialize(TOPIC, RecordSamples.metricPoint())).isEqualTo(bytes);
    assertThat(server.requests())
        .filteredOn(request -> request.equals("POST /subjects/" + METRIC_POINT))
        .hasSize(2);
    assertThat(server.requests()).filteredOn(request -> request.endsWith("/versions")).hasSize(1);
  }

  @Test
  void serializeRegistersOnceWhenManyThreadsBegin() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<byte[]>> results = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        results.add(threads.submit(() -> serializer.serialize(TOPIC, RecordSamples.stepEvent())));
      }
      for (Future<byte[]> result : results) {
        assertThat(deserializer.deserialize(TOPIC, result.get()))
            .isEqualTo(RecordSamples.stepEvent());
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(server.requests()).filteredOn(request -> request.endsWith("/versions")).hasSize(1);
  }

  @Test
  void serializeTriesAgainAfterTheRegistryWasAway() {
    server.failNext(2, 503, "");
    assertThatThrownBy(() -> serializer.serialize(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(RegistryUnavailableException.class);

    assertThat(serializer.serialize(TOPIC, RecordSamples.metricPoint())).isNotEmpty();
  }

  @Test
  void serializeIsRefusedWhenTheSchemaIsIncompatible() {
    server.failNext(1, 409, "{\"error_code\":409,\"message\":\"incompatible\"}");

    assertThatThrownBy(() -> serializer.serialize(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(RegistryRefusedException.class)
        .hasMessageContaining("incompatible");
  }

  @Test
  void serializeThrowsWhenTheValueIsNoRecordOrBreaksItsSchema() {
    assertThatThrownBy(() -> serializer.serialize(TOPIC, "text"))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("java.lang.String");
    assertThatThrownBy(
            () -> serializer.serialize(TOPIC, new GenericData.Record(MetricPoint.getClassSchema())))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining(METRIC_POINT);
    assertThat(serializer.serialize(TOPIC, null)).isNull();
    assertThat(deserializer.deserialize(TOPIC, null)).isNull();
  }

  @Test
  void deserializeResolvesAnOlderAndANewerWriter() {
    Schema older = changed("labels", null); // has a default in the class
    Schema newer = changed("none", "addedLater");

    for (Schema writer : List.of(older, newer)) {
      GenericRecord written = new GenericData.Record(writer);
      writer.getFields().forEach(field -> written.put(field.pos(), value(field)));
      Object read = deserializer.deserialize(TOPIC, serializer.serialize(TOPIC, written));

      assertThat(read).isInstanceOf(MetricPoint.class);
      assertThat(((MetricPoint) read).getName()).isEqualTo("text");
      assertThat(((MetricPoint) read).getLabels()).isEmpty();
    }
  }

  @Test
  void deserializeGivesGenericDataWhenTheTypeIsForeign() {
    Schema schema =
        SchemaBuilder.record("com.example.Other").fields().requiredLong("a").endRecord();
    GenericRecord record = new GenericData.Record(schema);
    record.put("a", 5L);

    assertThat(deserializer.deserialize(TOPIC, serializer.serialize(TOPIC, record)))
        .isInstanceOf(GenericRecord.class)
        .isEqualTo(record);
  }

  @Test
  void deserializeAsksOncePerSchema() {
    byte[] bytes = serializer.serialize(TOPIC, RecordSamples.metricPoint());
    int before = server.requests().size();

    deserializer.deserialize(TOPIC, bytes);
    deserializer.deserialize(TOPIC, bytes);

    assertThat(server.requests().subList(before, server.requests().size()))
        .containsExactly("GET /schemas/ids/1");
  }

  @Test
  void deserializeThrowsWhenBytesAreMissingOrLeft() {
    byte[] bytes = serializer.serialize(TOPIC, RecordSamples.metricPoint());
    byte[] otherMagic = bytes.clone();
    otherMagic[0] = 1;

    assertNotDeserialized(Arrays.copyOf(bytes, bytes.length - 1), "schema 1");
    assertNotDeserialized(Arrays.copyOf(bytes, bytes.length + 1), "bytes follow");
    assertNotDeserialized(otherMagic, "wire header");
    assertNotDeserialized(Arrays.copyOf(bytes, 4), "wire header");
  }

  @Test
  void configureThrowsWhenTheSettingsCannotBeFollowed() {
    assertThatThrownBy(() -> new RegistryAvroSerializer().configure(Map.of(), false))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> new RegistryAvroDeserializer().configure(Map.of(), false))
        .isInstanceOf(ConfigException.class);
    Map<String, Object> settings = new HashMap<>(server.config().settings());
    settings.put("value.subject.name.strategy", "a.TopicNameStrategy");
    assertThatThrownBy(() -> new RegistryAvroSerializer().configure(settings, false))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(
            () -> new RegistryAvroSerializer().serialize(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(IllegalStateException.class);
  }

  private void assertNotDeserialized(byte[] bytes, String message) {
    assertThatThrownBy(() -> deserializer.deserialize(TOPIC, bytes))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining(message);
  }

  /** Schema of MetricPoint without one field and with another more. */
  private static Schema changed(String without, String added) {
    Schema original = new Schema.Parser().parse(RegisteredText.of(MetricPoint.getClassSchema()));
    List<Schema.Field> fields = new ArrayList<>();
    for (Schema.Field field : original.getFields()) {
      if (!field.name().equals(without)) {
        fields.add(new Schema.Field(field, field.schema()));
      }
    }
    if (added != null) {
      fields.add(new Schema.Field(added, Schema.create(Schema.Type.LONG), "added", null));
    }
    return Schema.createRecord(
        original.getName(), original.getDoc(), original.getNamespace(), false, fields);
  }

  private static Object value(Schema.Field field) {
    return switch (field.schema().getType()) {
      case STRING -> "text";
      case LONG -> 3L;
      case DOUBLE -> 0.5;
      case MAP -> Map.of();
      default -> throw new AssertionError(field);
    };
  }

  private static GenericRecord generic(Schema schema, MetricPoint point) {
    GenericRecord record = new GenericData.Record(schema);
    schema.getFields().forEach(field -> record.put(field.name(), point.get(field.name())));
    return record;
  }
}
