package org.p3ostream.schemas.serde;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;

/**
 * Turns generic records into generated classes by writing them with their own schema and reading
 * them back with the reader's, so that Avro's resolution rules apply. Thread-safe.
 */
final class GenericRecordConverter {

  private final Map<Schema, DatumReader<SpecificRecord>> readers = new ConcurrentHashMap<>();

  /**
   * @throws org.apache.avro.AvroRuntimeException if the record's schema cannot be read as {@code
   *     readerSchema}
   */
  SpecificRecord convert(IndexedRecord record, Schema readerSchema) {
    Schema writerSchema = record.getSchema();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    DatumReader<SpecificRecord> reader =
        readers.computeIfAbsent(
            writerSchema, schema -> new SpecificDatumReader<>(schema, readerSchema));
    try {
      new GenericDatumWriter<IndexedRecord>(writerSchema, GenericData.get()).write(record, encoder);
      encoder.flush();
      return reader.read(null, DecoderFactory.get().binaryDecoder(bytes.toByteArray(), null));
    } catch (IOException e) {
      throw new UncheckedIOException("in memory", e);
    }
  }
}
