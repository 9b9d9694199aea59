package org.p3ostream.schemas.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.schemas.registry.RegisteredText;
import org.p3ostream.schemas.serde.RecordTypes;

class FrozenRecordsTest {

  /** Version to write anew from the present schemas, instead of testing; 0 for none. */
  private static final int FREEZE = Integer.getInteger("p3o.freeze", 0);

  static List<SpecificRecord> samples() {
    return RecordSamples.all();
  }

  static Collection<Schema> schemas() {
    return RecordTypes.schemas();
  }

  @Test
  void samplesCoverEveryRecordType() {
    assertThat(samples())
        .extracting(sample -> sample.getSchema().getFullName())
        .containsExactlyInAnyOrderElementsOf(schemas().stream().map(Schema::getFullName).toList());
  }

  @ParameterizedTest
  @MethodSource("samples")
  void samplesLeaveNoFieldAtItsDefault(SpecificRecord sample) {
    assertNothingDefault(sample.getSchema().getName(), sample);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void encodingGivesTheFrozenBytes(SpecificRecord sample) throws IOException {
    Schema schema = sample.getSchema();
    if (FREEZE > 0) {
      new FrozenVersion(FREEZE, schema.getName())
          .write(new Schema.Parser().parse(RegisteredText.of(schema)), encode(sample));
    }

    assertThat(encode(sample)).isEqualTo(FrozenVersion.newestOf(schema).sampleBody());
  }

  @ParameterizedTest
  @MethodSource("samples")
  void decodingTheNewestFrozenBytesGivesTheSample(SpecificRecord sample) throws IOException {
    assertThat(decode(FrozenVersion.newestOf(sample.getSchema()), sample.getSchema()))
        .isEqualTo(sample);
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void everyFrozenVersionIsReadable(Schema schema) throws IOException {
    SchemaCompatibilityType compatible = SchemaCompatibilityType.COMPATIBLE;
    assertThat(SchemaCompatibility.checkReaderWriterCompatibility(schema, schema).getType())
        .isEqualTo(compatible);
    for (FrozenVersion version : FrozenVersion.of(schema)) {
      assertThat(
              SchemaCompatibility.checkReaderWriterCompatibility(schema, version.schema())
                  .getType())
          .as("%s reads v%d", schema.getName(), version.number())
          .isEqualTo(compatible);
      assertThat(decode(version, schema).getSchema()).isEqualTo(schema);
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void theNewestFrozenVersionIsThePresentSchema(Schema schema) {
    assertThat(FrozenVersion.newestOf(schema).schema())
        .as("%s has changed: freeze it as a new version, see FrozenVersion", schema.getName())
        .isEqualTo(new Schema.Parser().parse(RegisteredText.of(schema)));
  }

  private static byte[] encode(SpecificRecord record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new SpecificDatumWriter<SpecificRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }

  private static SpecificRecord decode(FrozenVersion version, Schema readerSchema)
      throws IOException {
    return new SpecificDatumReader<SpecificRecord>(version.schema(), readerSchema)
        .read(null, DecoderFactory.get().binaryDecoder(version.sampleBody(), null));
  }

  private static void assertNothingDefault(String path, Object value) {
    if (value instanceof IndexedRecord record) {
      for (Schema.Field field : record.getSchema().getFields()) {
        Object fieldValue = record.get(field.pos());
        if (field.hasDefaultValue() && field.defaultVal() != JsonProperties.NULL_VALUE) {
          assertThat(fieldValue).as(path + "." + field.name()).isNotEqualTo(field.defaultVal());
        }
        assertNothingDefault(path + "." + field.name(), fieldValue);
      }
    } else if (value instanceof Collection<?> elements) {
      assertThat(elements).as(path).isNotEmpty();
      elements.stream()
          .filter(IndexedRecord.class::isInstance)
          .forEach(element -> assertNothingDefault(path + "[]", element));
    } else if (value instanceof Enum<?> symbol) {
      assertThat(symbol.name()).as(path).isNotIn("UNKNOWN", "UNSPECIFIED");
    } else if (value instanceof Number number) {
      assertThat(number.doubleValue()).as(path).isNotZero();
    } else {
      assertThat(value).as(path).isNotNull().isNotEqualTo("").isNotEqualTo(false);
    }
  }
}
