package org.p3ostream.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.golden.RecordSamples;
import org.p3ostream.schemas.registry.RegisteredText;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.registry.RegistryServer;

class RecordCodecTest {

  private static final String TOPIC = "p3o.rollouts";
  private static final byte[] ANY_MESSAGE = {0, 0, 0, 0, 1, 2, 3};

  private RegistryServer server;
  private RecordCodec codec;

  static List<SpecificRecord> samples() {
    return RecordSamples.all();
  }

  @BeforeEach
  void startServer() throws IOException {
    server = new RegistryServer();
    codec = codec(server.config().settings());
  }

  @AfterEach
  void stopServer() {
    codec.close();
    server.close();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void decodeGivesBackWhatEncodeWrote(SpecificRecord sample) {
    assertThat(codec.decode(TOPIC, codec.encode(TOPIC, sample)))
        .isEqualTo(new Decoded.Accepted(sample));
  }

  @Test
  void decodeRejectsValuesWithoutWireHeader() {
    assertRejected(codec.decode(TOPIC, null), RejectionReason.UNDECODABLE, "no value");
    assertRejected(codec.decode(TOPIC, new byte[0]), RejectionReason.UNDECODABLE, "no value");
    assertRejected(codec.decode(TOPIC, new byte[4]), RejectionReason.UNDECODABLE, "4 bytes");
    assertRejected(
        codec.decode(TOPIC, "{\"json\":1}".getBytes(StandardCharsets.UTF_8)),
        RejectionReason.UNDECODABLE,
        "0x7b");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void decodeRejectsTruncatedAndLongerBodies() {
    byte[] bytes = codec.encode(TOPIC, RecordSamples.rolloutGroup());

    for (int length = RecordCodec.WIRE_HEADER_BYTES; length < bytes.length; length++) {
      assertRejected(
          codec.decode(TOPIC, Arrays.copyOf(bytes, length)), RejectionReason.UNDECODABLE, "");
    }
    assertRejected(
        codec.decode(TOPIC, Arrays.copyOf(bytes, bytes.length + 1)),
        RejectionReason.UNDECODABLE,
        "bytes follow");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void decodeRejectsOrAcceptsWhateverTheBodyHolds(SpecificRecord sample) {
    byte[] good = codec.encode(TOPIC, sample);
    long seed = 42;
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      byte[] bytes;
      if (i % 2 == 0) { // nothing but noise behind a known schema
        bytes = Arrays.copyOf(good, RecordCodec.WIRE_HEADER_BYTES + random.nextInt(200));
        for (int at = RecordCodec.WIRE_HEADER_BYTES; at < bytes.length; at++) {
          bytes[at] = (byte) random.nextInt(256);
        }
      } else { // one byte changed
        bytes = good.clone();
        bytes[
                RecordCodec.WIRE_HEADER_BYTES
                    + random.nextInt(bytes.length - RecordCodec.WIRE_HEADER_BYTES)] =
            (byte) random.nextInt(256);
      }
      Decoded decoded = codec.decode(TOPIC, bytes);
      if (decoded instanceof Decoded.Rejected rejected) {
        assertThat(rejected.reason())
            .as("seed %d, %d", seed, i)
            .isEqualTo(RejectionReason.UNDECODABLE);
      }
    }
  }

  @Test
  void decodeRejectsAHugeArrayWithoutAllocatingIt() {
    Schema schema = RecordSamples.rolloutGroup().getSchema();
    codec.encode(TOPIC, RecordSamples.rolloutGroup());
    // runId "", four numbers, promptId "", then a block of 2^31 - 20 prompt tokens.
    byte[] body = {0, 0, 0, 0, 0, (byte) 0xd8, -1, -1, -1, 0x0f};

    assertThat(schema.getField("promptTokens").pos()).isEqualTo(5);
    assertRejected(
        codec.decode(TOPIC, message(1, body)), RejectionReason.UNDECODABLE, "2147483628");
  }

  @Test
  void decodeRejectsAnUnknownSchemaId() {
    assertRejected(
        codec.decode(TOPIC, message(4711, new byte[3])), RejectionReason.UNKNOWN_SCHEMA, "4711");
  }

  @Test
  void decodeRejectsForeignRecordTypes() {
    int other =
        server.add(
            "o",
            "AVRO",
            SchemaBuilder.record("com.example.Other")
                .fields()
                .requiredLong("a")
                .endRecord()
                .toString());
    int primitive = server.add("l", "AVRO", "\"long\"");
    int proto = server.add("p", "PROTOBUF", "message A {}");
    int nested =
        server.add(
            "n", "AVRO", RegisteredText.of(RecordSamples.promptTask().getSampling().getSchema()));
    RejectionReason wrong = RejectionReason.WRONG_RECORD_TYPE;

    assertRejected(codec.decode(TOPIC, message(other, new byte[1])), wrong, "com.example.Other");
    assertRejected(codec.decode(TOPIC, message(primitive, new byte[1])), wrong, "Long");
    assertRejected(codec.decode(TOPIC, message(proto, new byte[1])), wrong, "PROTOBUF");
    assertRejected(
        codec.decode(TOPIC, message(nested, new byte[35])), wrong, "avro.SamplingRequest");
  }

  @Test
  void decodeRejectsARecordWhoseSchemaCannotBeResolved() {
    int id =
        server.add(
            "m",
            "AVRO",
            SchemaBuilder.record(MetricPoint.getClassSchema().getFullName())
                .fields()
                .requiredLong("a")
                .endRecord()
                .toString());

    assertRejected(
        codec.decode(TOPIC, message(id, new byte[1])), RejectionReason.UNDECODABLE, "MetricPoint");
  }

  @Test
  void decodeSaysNothingAboutTheBytesWhenTheRegistryIsAway() {
    byte[] bytes = codec.encode(TOPIC, RecordSamples.metricPoint());
    server.failNext(2, 503, "");
    assertThatThrownBy(() -> codec.decode(TOPIC, bytes))
        .isInstanceOf(RegistryUnavailableException.class);
    assertThat(codec.decode(TOPIC, bytes)).isInstanceOf(Decoded.Accepted.class);

    RecordCodec later = codec(server.config().settings());
    server.close();
    assertThatThrownBy(() -> later.decode(TOPIC, bytes))
        .isInstanceOf(RegistryUnavailableException.class);
    assertThatThrownBy(() -> later.encode(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(RegistryUnavailableException.class);
  }

  @Test
  void decodeSaysNothingAboutTheBytesWhenTheRegistryRefusesToBeAsked() {
    byte[] bytes = codec.encode(TOPIC, RecordSamples.metricPoint());
    server.requireUser("ann", "secret");
    assertThatThrownBy(() -> codec.decode(TOPIC, bytes))
        .isInstanceOf(RegistryRefusedException.class);

    server.failNext(1, 404, "<html>no such path</html>");
    assertThatThrownBy(() -> codec.decode(TOPIC, bytes))
        .isInstanceOf(RegistryRefusedException.class);
  }

  @Test
  void decodeTurnsGenericRecordsOfForeignSerdesIntoGeneratedOnes() throws IOException {
    for (SpecificRecord sample : samples()) {
      Schema foreign = new Schema.Parser().parse(RegisteredText.of(sample.getSchema()));
      byte[] body = RecordCodec.avroBody(codec.encode(TOPIC, sample));
      GenericRecord generic =
          new GenericDatumReader<GenericRecord>(foreign)
              .read(null, DecoderFactory.get().binaryDecoder(body, null));

      assertThat(scripted(generic).decode(TOPIC, ANY_MESSAGE))
          .isEqualTo(new Decoded.Accepted(sample));
      assertThat(scripted(sample).decode(TOPIC, ANY_MESSAGE))
          .isEqualTo(new Decoded.Accepted(sample));
    }
  }

  @Test
  void decodeRejectsGenericRecordsThatAreNotOurs() {
    Schema other = SchemaBuilder.record("com.example.Other").fields().endRecord();
    Schema lookAlike =
        SchemaBuilder.record(MetricPoint.getClassSchema().getFullName())
            .fields()
            .optionalLong("a")
            .endRecord();
    RejectionReason wrong = RejectionReason.WRONG_RECORD_TYPE;

    assertRejected(
        scripted(new GenericData.Record(other)).decode(TOPIC, ANY_MESSAGE), wrong, "Other");
    assertRejected(scripted("text").decode(TOPIC, ANY_MESSAGE), wrong, "String");
    assertRejected(scripted(null).decode(TOPIC, ANY_MESSAGE), wrong, "null");
    assertRejected(
        scripted(new GenericData.Record(lookAlike)).decode(TOPIC, ANY_MESSAGE),
        RejectionReason.UNDECODABLE,
        "cannot be resolved");
  }

  @Test
  void decodeTellsTransportFromBytesWhenAForeignSerdeFails() {
    List<RuntimeException> transport =
        List.of(
            new SerializationException("x", new ConnectException("refused")),
            new SerializationException(new RuntimeException(new SocketException("reset"))),
            new SerializationException("x", new IOException("parser received no bytes")),
            new TimeoutException("x"),
            new AuthorizationException("x"),
            new SerializationException("x", new RestClientException(503, 50003)),
            new SerializationException("x", new RestClientException(429, 429)));
    for (RuntimeException failure : transport) {
      assertThatThrownBy(() -> scripted(failure).decode(TOPIC, ANY_MESSAGE))
          .as("%s", failure)
          .isInstanceOf(RegistryUnavailableException.class)
          .hasCause(failure);
      assertThatThrownBy(() -> scripted(failure).encode(TOPIC, RecordSamples.metricPoint()))
          .as("%s", failure)
          .isInstanceOf(RegistryUnavailableException.class);
    }
    List<RuntimeException> bytes =
        List.of(
            new SerializationException("bad"),
            new SerializationException("bad", endOfFileByAvro()),
            new SerializationException("bad", new ClassCastException("bad")),
            new IndexOutOfBoundsException("bad"));
    for (RuntimeException failure : bytes) {
      assertRejected(scripted(failure).decode(TOPIC, ANY_MESSAGE), RejectionReason.UNDECODABLE, "");
      assertThatThrownBy(() -> scripted(failure).encode(TOPIC, RecordSamples.metricPoint()))
          .isSameAs(failure);
    }
  }

  @Test
  void decodeReadsTheAnswersThatConfluentsClientReports() {
    assertRejected(
        scripted(new SerializationException("x", new RestClientException(404, 40403)))
            .decode(TOPIC, ANY_MESSAGE),
        RejectionReason.UNKNOWN_SCHEMA,
        "40403");
    for (RestClientException answer :
        List.of(new RestClientException(401, 40101), new RestClientException(404, 50005))) {
      assertThatThrownBy(
              () -> scripted(new SerializationException("x", answer)).decode(TOPIC, ANY_MESSAGE))
          .isInstanceOfSatisfying(
              RegistryRefusedException.class,
              e -> assertThat(e.status()).isEqualTo(answer.getStatus()));
    }
  }

  @Test
  void createPassesDefaultsForConfluentsClassesBelowTheSettings() {
    scripted("x").close();
    assertThat(ScriptedSerde.lastSettings)
        .containsEntry(
            "value.subject.name.strategy",
            "io.confluent.kafka.serializers.subject.RecordNameStrategy")
        .containsEntry("avro.remove.java.properties", "true")
        .containsEntry("auto.register.schemas", "true");

    RecordCodec.create(
            ScriptedSerde.class.getName(),
            ScriptedSerde.class.getName(),
            Map.of("auto.register.schemas", "false"))
        .close();
    assertThat(ScriptedSerde.lastSettings).containsEntry("auto.register.schemas", "false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no.such.Class", "java.lang.String", ""})
  void createNamesTheClassThatCannotBeUsed(String className) {
    String serializer = RegistryAvroSerializer.class.getName();
    String deserializer = RegistryAvroDeserializer.class.getName();
    Map<String, String> settings = server.config().settings();

    assertThatThrownBy(() -> RecordCodec.create(className, deserializer, settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + className + "'")
        .hasMessageContaining("Serializer");
    assertThatThrownBy(() -> RecordCodec.create(serializer, className, settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + className + "'")
        .hasMessageContaining("Deserializer");
    assertThatThrownBy(() -> RecordCodec.create(serializer, serializer, settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(serializer);
    assertThatThrownBy(() -> RecordCodec.create(Inaccessible.class.getName(), "x", settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("constructor");
  }

  @Test
  void createNamesTheClassThatMissesALibrary() {
    assertThatThrownBy(
            () ->
                RecordCodec.create(
                    Incomplete.class.getName(), StringDeserializer.class.getName(), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Incomplete.class.getName())
        .hasMessageContaining("com/example/Missing");
  }

  @Test
  void encodeFailsClearlyWhenTheSerializerIsForOtherValues() {
    RecordCodec strings =
        RecordCodec.create(
            StringSerializer.class.getName(), StringDeserializer.class.getName(), Map.of());

    assertThatThrownBy(() -> strings.encode(TOPIC, RecordSamples.metricPoint()))
        .isInstanceOf(ClassCastException.class);
    assertRejected(strings.decode(TOPIC, ANY_MESSAGE), RejectionReason.WRONG_RECORD_TYPE, "String");
  }

  @Test
  void avroBodyIsTheMessageWithoutItsHeader() {
    assertThat(RecordCodec.avroBody(ANY_MESSAGE)).containsExactly(2, 3);
    assertThat(RecordCodec.avroBody(new byte[5])).isEmpty();
    assertThatThrownBy(() -> RecordCodec.avroBody(new byte[4]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4");
  }

  /** A serializer that needs what is not there. */
  public static final class Incomplete extends StringSerializer {
    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
      throw new NoClassDefFoundError("com/example/Missing");
    }
  }

  /** A serializer whose constructor is not public. */
  static final class Inaccessible extends StringSerializer {}

  private static RecordCodec codec(Map<String, ?> settings) {
    return RecordCodec.create(
        RegistryAvroSerializer.class.getName(), RegistryAvroDeserializer.class.getName(), settings);
  }

  private static RecordCodec scripted(Object result) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("unrelated", "setting");
    if (result != null) {
      settings.put(ScriptedSerde.RESULT, result);
    }
    return RecordCodec.create(
        ScriptedSerde.class.getName(), ScriptedSerde.class.getName(), settings);
  }

  private static IOException endOfFileByAvro() {
    try {
      DecoderFactory.get().binaryDecoder(new byte[0], null).readLong();
      throw new AssertionError("read a number out of nothing");
    } catch (IOException e) {
      return e;
    }
  }

  private static byte[] message(int schemaId, byte[] body) {
    return ByteBuffer.allocate(RecordCodec.WIRE_HEADER_BYTES + body.length)
        .put((byte) 0)
        .putInt(schemaId)
        .put(body)
        .array();
  }

  private static void assertRejected(Decoded decoded, RejectionReason reason, String cause) {
    assertThat(decoded).isInstanceOf(Decoded.Rejected.class);
    assertThat(((Decoded.Rejected) decoded).reason()).as("%s", decoded).isEqualTo(reason);
    assertThat(((Decoded.Rejected) decoded).cause()).contains(cause);
  }
}
