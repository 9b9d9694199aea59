package org.p3ostream.schemas.serde;

import java.util.Arrays;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Turns records into topic bytes and back through the Kafka serializer and deserializer that the
 * configuration names, so that any Confluent-compatible pair drops in by class name.
 */
public final class RecordCodec implements AutoCloseable {

  /** Bytes before the Avro body: magic byte and four-byte schema id. */
  public static final int WIRE_HEADER_BYTES = 5;

  private final Serializer<Object> serializer;
  private final Deserializer<Object> deserializer;

  RecordCodec(Serializer<Object> serializer, Deserializer<Object> deserializer) {
    this.serializer = serializer;
    this.deserializer = deserializer;
  }

  /**
   * Creates and configures both sides.
   *
   * @param serializerClass a {@code Serializer<Object>} with a public no-argument constructor
   * @param deserializerClass a {@code Deserializer<Object>} with a public no-argument constructor
   * @param settings passed to both, {@code schema.registry.url} among them
   */
  public static RecordCodec create(
      String serializerClass, String deserializerClass, Map<String, ?> settings) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Bytes of {@code record} in the Confluent wire format. Registers the schema on first use. */
  public byte[] encode(String topic, SpecificRecord record) {
    return serializer.serialize(topic, record);
  }

  /**
   * The record in {@code value}.
   *
   * @throws RegistryUnavailableException if the registry could not be asked: nothing is said about
   *     the bytes
   */
  public Decoded decode(String topic, byte[] value) {
    throw new UnsupportedOperationException("not built yet " + deserializer + topic + value.length);
  }

  /** The Avro body of a message in the wire format: what the ledger's hash chain covers. */
  public static byte[] avroBody(byte[] wireBytes) {
    return Arrays.copyOfRange(wireBytes, WIRE_HEADER_BYTES, wireBytes.length);
  }

  @Override
  public void close() {
    serializer.close();
    deserializer.close();
  }
}
