package org.p3ostream.schemas.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes generated and generic Avro records in the Confluent wire format: a zero byte, the schema
 * id as four bytes big-endian, the Avro binary. The subject of a schema is the full name of its
 * record. Configured with the keys of Confluent's serializer; thread-safe once configured.
 *
 * <p>A schema is registered before its first record, and its subject is then held to {@link
 * CompatibilityLevel#BACKWARD_TRANSITIVE}. With {@code auto.register.schemas=false} it must have
 * been registered by others.
 */
public final class RegistryAvroSerializer implements Serializer<Object> {

  private static final byte MAGIC = 0;

  private record Registered(int id, DatumWriter<Object> writer) {}

  private final Map<Schema, Registered> registered = new ConcurrentHashMap<>();
  private @Nullable SchemaRegistryClient client;
  private boolean registersSchemas = true;

  public RegistryAvroSerializer() {}

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    RegistrySettings.checkSubjectStrategy(configs);
    client = new SchemaRegistryClient(RegistrySettings.parse(configs));
    registersSchemas = RegistrySettings.registersSchemas(configs);
  }

  /**
   * @return null for null
   * @throws SerializationException if {@code data} is no Avro record or breaks its schema
   * @throws org.p3ostream.schemas.serde.RegistryUnavailableException if the registry could not be
   *     asked
   * @throws org.p3ostream.schemas.serde.RegistryRefusedException if it did not accept the schema
   */
  @Override
  @SuppressWarnings("NullAway") // Kafka's interface is not annotated; null stands for a tombstone
  public byte @Nullable [] serialize(String topic, @Nullable Object data) {
    if (data == null) {
      return null;
    }
    if (!(data instanceof IndexedRecord record)) {
      throw new SerializationException(data.getClass().getName() + " is no Avro record");
    }
    Registered schema = registered.computeIfAbsent(record.getSchema(), this::register);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(MAGIC);
    bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(schema.id()).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    try {
      schema.writer().write(record, encoder);
      encoder.flush();
    } catch (IOException | RuntimeException e) {
      throw new SerializationException(
          "cannot write " + record.getSchema().getFullName() + " to " + topic, e);
    }
    return bytes.toByteArray();
  }

  private Registered register(Schema schema) {
    SchemaRegistryClient registry = client;
    if (registry == null) {
      throw new IllegalStateException("configure() was not called");
    }
    int id =
        registersSchemas
            ? SubjectProvisioner.provision(registry, schema)
            : known(registry, schema.getFullName(), schema);
    // Writes generic records as well as generated ones.
    return new Registered(id, new SpecificDatumWriter<>(schema, SpecificData.get()));
  }

  private static int known(SchemaRegistryClient registry, String subject, Schema schema) {
    return registry
        .lookUp(subject, schema)
        .orElseThrow(
            () ->
                new SerializationException(
                    "schema is not registered under "
                        + subject
                        + ", and auto.register.schemas is false"))
        .id();
  }
}
