package org.p3ostream.schemas.registry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;

/**
 * Reads Avro in the Confluent wire format. Records of this project's types become generated
 * classes, resolved from the writer's schema to the class's; all others become generic data.
 * Configured with the keys of Confluent's deserializer; thread-safe once configured.
 */
public final class RegistryAvroDeserializer implements Deserializer<Object> {

  private static final byte MAGIC = 0;

  private final Map<Integer, DatumReader<Object>> readers = new ConcurrentHashMap<>();
  private @Nullable SchemaRegistryClient client;

  public RegistryAvroDeserializer() {}

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    client = new SchemaRegistryClient(RegistrySettings.parse(configs));
  }

  /**
   * @return null for null
   * @throws SerializationException if the bytes are no message of their schema
   * @throws org.p3ostream.schemas.serde.RegistryUnavailableException if the registry could not be
   *     asked for the schema
   * @throws org.p3ostream.schemas.serde.RegistryRefusedException if it answered with an error,
   *     unknown schema id included
   */
  @Override
  @SuppressWarnings("NullAway") // Kafka's interface is not annotated; null stands for a tombstone
  public @Nullable Object deserialize(String topic, byte @Nullable [] data) {
    if (data == null) {
      return null;
    }
    if (data.length < RecordCodec.WIRE_HEADER_BYTES || data[0] != MAGIC) {
      throw new SerializationException(
          data.length + " bytes of " + topic + " do not begin with the wire header");
    }
    int id = ByteBuffer.wrap(data, 1, Integer.BYTES).getInt();
    DatumReader<Object> reader = readers.computeIfAbsent(id, this::reader);
    try {
      BinaryDecoder decoder =
          DecoderFactory.get()
              .binaryDecoder(
                  data,
                  RecordCodec.WIRE_HEADER_BYTES,
                  data.length - RecordCodec.WIRE_HEADER_BYTES,
                  null);
      Object datum = reader.read(null, decoder);
      if (!decoder.isEnd()) {
        throw new SerializationException("bytes follow the record of schema " + id);
      }
      return datum;
    } catch (SerializationException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new SerializationException("cannot read " + topic + " with schema " + id, e);
    }
  }

  private DatumReader<Object> reader(int id) {
    SchemaRegistryClient registry = client;
    if (registry == null) {
      throw new IllegalStateException("configure() was not called");
    }
    Schema writerSchema = registry.schemaById(id);
    Schema readerSchema =
        writerSchema.getType() == Schema.Type.RECORD
            ? RecordTypes.readerSchema(writerSchema.getFullName())
            : null;
    return readerSchema == null
        ? new GenericDatumReader<>(writerSchema)
        : new SpecificDatumReader<>(writerSchema, readerSchema);
  }
}
