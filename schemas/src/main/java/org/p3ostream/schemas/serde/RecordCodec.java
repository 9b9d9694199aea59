package org.p3ostream.schemas.serde;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.RejectionReason;

/**
 * Turns records into topic bytes and back through the Kafka serializer and deserializer that the
 * configuration names, so that any Confluent-compatible pair drops in by class name.
 */
public final class RecordCodec implements AutoCloseable {

  /** Bytes before the Avro body: magic byte and four-byte schema id. */
  public static final int WIRE_HEADER_BYTES = 5;

  private static final byte MAGIC = 0;

  /** What Confluent's classes must be told to write the same subjects and schemas as ours. */
  private static final Map<String, String> DEFAULT_SETTINGS =
      Map.of(
          "value.subject.name.strategy",
          "io.confluent.kafka.serializers.subject.RecordNameStrategy",
          "avro.remove.java.properties",
          "true",
          "auto.register.schemas",
          "true",
          "specific.avro.reader",
          "false");

  private final Serializer<Object> serializer;
  private final Deserializer<Object> deserializer;
  private final GenericRecordConverter converter = new GenericRecordConverter();

  RecordCodec(Serializer<Object> serializer, Deserializer<Object> deserializer) {
    RecordTypes.trust();
    this.serializer = serializer;
    this.deserializer = deserializer;
  }

  /**
   * Creates and configures both sides.
   *
   * @param serializerClass a {@code Serializer<Object>} with a public no-argument constructor
   * @param deserializerClass a {@code Deserializer<Object>} with a public no-argument constructor
   * @param settings passed to both, {@code schema.registry.url} among them; they precede the
   *     defaults, which name RecordNameStrategy and schemas without Java properties
   * @throws IllegalArgumentException naming the class that cannot be used, and why
   */
  @SuppressWarnings("unchecked") // a class of the wrong element type fails at its first record
  public static RecordCodec create(
      String serializerClass, String deserializerClass, Map<String, ?> settings) {
    Serializer<Object> serializer = SerdeClasses.create(serializerClass, Serializer.class);
    Deserializer<Object> deserializer = SerdeClasses.create(deserializerClass, Deserializer.class);
    Map<String, Object> complete = new HashMap<>(DEFAULT_SETTINGS);
    complete.putAll(settings);
    SerdeClasses.configure(serializerClass, () -> serializer.configure(complete, false));
    SerdeClasses.configure(deserializerClass, () -> deserializer.configure(complete, false));
    return new RecordCodec(serializer, deserializer);
  }

  /**
   * Bytes of {@code record} in the Confluent wire format. Registers the schema on first use.
   *
   * @throws RegistryUnavailableException if the registry could not be asked
   * @throws RegistryRefusedException if the registry did not accept the schema
   */
  public byte[] encode(String topic, SpecificRecord record) {
    try {
      return serializer.serialize(topic, record);
    } catch (RuntimeException e) {
      RuntimeException registry = RegistryFailure.in(e);
      throw registry == null ? e : registry;
    }
  }

  /**
   * The record in {@code value}; null and empty values are no records.
   *
   * @throws RegistryUnavailableException if the registry could not be asked: nothing is said about
   *     the bytes
   * @throws RegistryRefusedException if the registry refuses to be asked (credentials, address):
   *     nothing is said about the bytes either
   */
  public Decoded decode(String topic, byte @Nullable [] value) {
    if (value == null || value.length == 0) {
      return undecodable("the record has no value");
    }
    if (value.length < WIRE_HEADER_BYTES || value[0] != MAGIC) {
      return undecodable(
          "no wire format: %d bytes beginning with 0x%02x".formatted(value.length, value[0]));
    }
    Object decoded;
    try {
      decoded = deserializer.deserialize(topic, value);
    } catch (RuntimeException e) {
      return rejected(e);
    }
    return accepted(decoded);
  }

  /** The Avro body of a message in the wire format: what the ledger's hash chain covers. */
  public static byte[] avroBody(byte[] wireBytes) {
    if (wireBytes.length < WIRE_HEADER_BYTES) {
      throw new IllegalArgumentException(
          wireBytes.length + " bytes are shorter than the wire header of " + WIRE_HEADER_BYTES);
    }
    return Arrays.copyOfRange(wireBytes, WIRE_HEADER_BYTES, wireBytes.length);
  }

  @Override
  public void close() {
    serializer.close();
    deserializer.close();
  }

  private Decoded accepted(@Nullable Object decoded) {
    if (!(decoded instanceof IndexedRecord record)) {
      return wrongType(decoded == null ? "null" : decoded.getClass().getSimpleName());
    }
    Schema readerSchema = RecordTypes.readerSchema(record.getSchema().getFullName());
    if (readerSchema == null) {
      return wrongType(record.getSchema().getFullName());
    }
    if (record instanceof SpecificRecord specific) {
      return new Decoded.Accepted(specific);
    }
    try {
      return new Decoded.Accepted(converter.convert(record, readerSchema));
    } catch (AvroRuntimeException e) {
      return undecodable(
          record.getSchema().getFullName() + " with a schema that cannot be resolved: " + e);
    }
  }

  private static Decoded rejected(RuntimeException failure) {
    RuntimeException registry = RegistryFailure.in(failure);
    if (registry != null) {
      throw registry;
    }
    String cause = describe(failure);
    if (RegistryFailure.isUnknownSchemaId(failure)) {
      return new Decoded.Rejected(RejectionReason.UNKNOWN_SCHEMA, cause);
    }
    return RegistryFailure.isUnreadableSchema(failure)
        ? new Decoded.Rejected(RejectionReason.WRONG_RECORD_TYPE, cause)
        : undecodable(cause);
  }

  private static String describe(RuntimeException failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure.toString() : failure + ": " + cause;
  }

  private static Decoded undecodable(String cause) {
    return new Decoded.Rejected(RejectionReason.UNDECODABLE, cause);
  }

  private static Decoded wrongType(String found) {
    return new Decoded.Rejected(
        RejectionReason.WRONG_RECORD_TYPE, found + " is no record type of this project");
  }
}
