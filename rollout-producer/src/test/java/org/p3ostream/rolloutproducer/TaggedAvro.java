package org.p3ostream.rolloutproducer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;

/** A serde in the wire format whose schema ids are fixed: unit tests have no registry. */
public final class TaggedAvro {

  private static final List<Schema> BY_ID =
      RecordTypes.schemas().stream().sorted(Comparator.comparing(Schema::getFullName)).toList();

  private TaggedAvro() {}

  public static RecordCodec codec() {
    return RecordCodec.create(Writer.class.getName(), Reader.class.getName(), Map.of());
  }

  private static int id(Schema schema) {
    return BY_ID.stream().map(Schema::getFullName).toList().indexOf(schema.getFullName());
  }

  /** Writes id and Avro body. */
  public static final class Writer implements Serializer<Object> {
    @Override
    public byte[] serialize(String topic, Object data) {
      Schema schema = ((SpecificRecord) data).getSchema();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(ByteBuffer.allocate(5).putInt(1, id(schema)).array());
      BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
      try {
        new SpecificDatumWriter<>(schema).write(data, encoder);
        encoder.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return bytes.toByteArray();
    }
  }

  /** Reads what {@link Writer} wrote. */
  public static final class Reader implements Deserializer<Object> {
    @Override
    public Object deserialize(String topic, byte[] data) {
      Schema schema = BY_ID.get(ByteBuffer.wrap(data).getInt(1));
      try {
        return new GenericDatumReader<>(schema)
            .read(null, DecoderFactory.get().binaryDecoder(data, 5, data.length - 5, null));
      } catch (IOException e) {
        throw new SerializationException(e);
      }
    }
  }
}
