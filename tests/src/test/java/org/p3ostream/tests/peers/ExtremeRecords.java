package org.p3ostream.tests.peers;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.serde.RecordTypes;

/**
 * Records made from a schema alone, so that a new type or field is covered by itself: over all of
 * them every field takes every extreme of its type, every enum symbol and every branch of a union,
 * and every array and map is empty at least once.
 */
final class ExtremeRecords {

  private static final int COUNT = 48;

  private static final List<Object> BOOLEANS = List.of(false, true);
  private static final List<Object> INTS = List.of(0, -1, 64, Integer.MIN_VALUE, Integer.MAX_VALUE);
  private static final List<Object> LONGS =
      List.of(0L, -1L, (1L << 53) + 1, -(1L << 53) - 1, Long.MIN_VALUE, Long.MAX_VALUE);
  private static final List<Object> FLOATS =
      List.of(
          0f,
          -0f,
          0.1f,
          Float.MIN_VALUE,
          -Float.MIN_NORMAL,
          Float.MAX_VALUE,
          Float.NaN,
          Float.POSITIVE_INFINITY,
          Float.NEGATIVE_INFINITY);
  private static final List<Object> DOUBLES =
      List.of(
          0.0,
          -0.0,
          0.1,
          1.0 / 3,
          Double.MIN_VALUE,
          -Double.MIN_NORMAL,
          Double.MAX_VALUE,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY);
  private static final List<Object> STRINGS =
      List.of("", "plain", "3 1 4 1 = é", "漢字 😀 \u0000\n\"\\", "long ".repeat(1000));
  private static final List<Object> BYTES =
      List.of(new byte[0], everyByte(256), everyByte(200_000));
  private static final List<String> MAP_KEYS = List.of("", "a.b", "ключ 😀");

  /** How often each place in the schema was filled; a place takes its values in turn. */
  private final Map<String, Integer> turns = new TreeMap<>();

  private final Map<String, Integer> choices = new TreeMap<>();

  private ExtremeRecords() {}

  static List<SpecificRecord> of(Schema schema) {
    RecordTypes.trust();
    ExtremeRecords places = new ExtremeRecords();
    List<SpecificRecord> records = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      GenericRecord record = (GenericRecord) places.fill("", schema);
      records.add((SpecificRecord) SpecificData.get().deepCopy(schema, record));
    }
    places.requireEveryChoice(schema);
    return records;
  }

  private Object fill(String path, Schema schema) {
    return switch (schema.getType()) {
      case RECORD -> record(path, schema);
      case ARRAY -> array(path, schema.getElementType());
      case MAP -> map(path, schema.getValueType());
      case UNION -> union(path, schema.getTypes());
      case ENUM -> new GenericData.EnumSymbol(schema, next(path, schema.getEnumSymbols()));
      case BYTES -> ByteBuffer.wrap((byte[]) next(path, extremes(schema)));
      case NULL -> null;
      default -> next(path, extremes(schema));
    };
  }

  private GenericRecord record(String path, Schema schema) {
    GenericRecord record = new GenericData.Record(schema);
    schema
        .getFields()
        .forEach(field -> record.put(field.pos(), fill(path + "." + field.name(), field.schema())));
    return record;
  }

  /** Empty, one element, or as many as there are extremes. */
  private List<Object> array(String path, Schema element) {
    int many = isScalar(element) ? extremes(element).size() : 3;
    int size = next(path, List.of(many, 0, 1));
    return IntStream.range(0, size)
        .mapToObj(i -> fill(path + "[]", element))
        .collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
  }

  private Map<String, Object> map(String path, Schema value) {
    Map<String, Object> entries = new TreeMap<>();
    MAP_KEYS
        .subList(0, next(path, List.of(MAP_KEYS.size(), 0, 1)))
        .forEach(key -> entries.put(key, fill(path + "{}", value)));
    return entries;
  }

  private Object union(String path, List<Schema> branches) {
    return fill(path, next(path + "?", branches));
  }

  private <T> T next(String path, List<T> values) {
    choices.put(path, values.size());
    return values.get((turns.merge(path, 1, Integer::sum) - 1) % values.size());
  }

  private void requireEveryChoice(Schema schema) {
    choices.forEach(
        (path, size) -> {
          int taken = turns.getOrDefault(path, 0);
          if (taken < size) {
            throw new AssertionError(
                "%s%s: %d of %d values taken".formatted(schema.getName(), path, taken, size));
          }
        });
  }

  private static boolean isScalar(Schema schema) {
    return switch (schema.getType()) {
      case RECORD, ARRAY, MAP, UNION, ENUM -> false;
      default -> true;
    };
  }

  private static List<Object> extremes(Schema schema) {
    return switch (schema.getType()) {
      case BOOLEAN -> BOOLEANS;
      case INT -> INTS;
      case LONG -> LONGS;
      case FLOAT -> FLOATS;
      case DOUBLE -> DOUBLES;
      case STRING -> STRINGS;
      case BYTES -> BYTES;
      default -> throw new AssertionError("no extremes are known of " + schema);
    };
  }

  /** Every value of a byte, then patterns that do not repeat as a whole. */
  private static byte[] everyByte(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i + i / 256 * (i / 4096));
    }
    return bytes;
  }
}
