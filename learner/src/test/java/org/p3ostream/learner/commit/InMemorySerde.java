package org.p3ostream.learner.commit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;

/** The wire format without a registry: schema ids are positions in the sorted record types. */
public final class InMemorySerde {

  private static final byte MAGIC = 0;
  private static final List<Schema> SCHEMAS =
      RecordTypes.schemas().stream().sorted(Comparator.comparing(Schema::getFullName)).toList();

  private InMemorySerde() {}

  public static RecordCodec codec() {
    return RecordCodec.create(Encoder.class.getName(), Decoder.class.getName(), Map.of());
  }

  /** Avro binary behind magic byte and schema id. */
  public static final class Encoder implements Serializer<Object> {
    @Override
    public byte[] serialize(String topic, Object value) {
      SpecificRecord record = (SpecificRecord) value;
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.write(MAGIC);
      int id = SCHEMAS.indexOf(record.getSchema());
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(id).array());
      try {
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new SpecificDatumWriter<SpecificRecord>(record.getSchema()).write(record, encoder);
        encoder.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return bytes.toByteArray();
    }
  }

  /** Inverse of {@link Encoder}. */
  public static final class Decoder implements Deserializer<Object> {
    @Override
    public Object deserialize(String topic, byte[] bytes) {
      Schema schema = SCHEMAS.get(ByteBuffer.wrap(bytes, 1, Integer.BYTES).getInt());
      byte[] body = RecordCodec.avroBody(bytes);
      try {
        return new SpecificDatumReader<SpecificRecord>(schema)
            .read(null, DecoderFactory.get().binaryDecoder(body, null));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
