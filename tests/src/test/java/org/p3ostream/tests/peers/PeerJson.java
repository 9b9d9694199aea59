package org.p3ostream.tests.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;

/**
 * Avro values as JSON without loss, as {@code values.mjs} of the Node peer reads and writes them:
 * longs are strings, bytes are base64, and the numbers JSON lacks are {@code NaN}, {@code Infinity}
 * and {@code -Infinity} as strings; JavaScript, which would write {@code -0} as 0, makes a string
 * of it too.
 */
final class PeerJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private PeerJson() {}

  /** The record as text that is equal exactly if every value is. */
  static String text(IndexedRecord record) {
    return of(record.getSchema(), record).toPrettyString();
  }

  /** Generic and generated records alike. */
  static JsonNode of(Schema schema, Object value) {
    return switch (schema.getType()) {
      case RECORD -> ofRecord((IndexedRecord) value);
      case ARRAY -> ofArray(schema.getElementType(), (List<?>) value);
      case MAP -> ofMap(schema.getValueType(), (Map<?, ?>) value);
      case UNION -> value == null ? NullNode.instance : of(branch(schema), value);
      case BOOLEAN -> BooleanNode.valueOf((Boolean) value);
      case INT -> IntNode.valueOf((Integer) value);
      case FLOAT, DOUBLE -> ofNumber(((Number) value).doubleValue());
      case BYTES -> ofBytes((ByteBuffer) value);
      case LONG, STRING, ENUM -> TextNode.valueOf(value.toString());
      default -> throw new AssertionError("no JSON is known of " + schema);
    };
  }

  /**
   * A generic record out of JSON.
   *
   * @throws AssertionError if the JSON has not the shape that the schema asks for
   */
  static GenericRecord record(Schema schema, JsonNode json) {
    GenericRecord record = new GenericData.Record(schema);
    require(json.size() == schema.getFields().size(), schema, json);
    for (Schema.Field field : schema.getFields()) {
      require(json.has(field.name()), schema, json);
      record.put(field.pos(), value(field.schema(), json.get(field.name())));
    }
    return record;
  }

  private static Object value(Schema schema, JsonNode json) {
    return switch (schema.getType()) {
      case RECORD -> record(schema, json);
      case ARRAY -> array(schema.getElementType(), json);
      case MAP -> map(schema.getValueType(), json);
      case UNION -> json.isNull() ? null : value(branch(schema), json);
      case BOOLEAN -> required(json.isBoolean(), schema, json).booleanValue();
      case INT -> required(json.isInt(), schema, json).intValue();
      case LONG -> Long.parseLong(text(schema, json));
      case FLOAT -> asFloat(number(json));
      case DOUBLE -> number(json);
      case BYTES -> ByteBuffer.wrap(Base64.getDecoder().decode(text(schema, json)));
      case STRING -> text(schema, json);
      case ENUM -> new GenericData.EnumSymbol(schema, text(schema, json));
      default -> throw new AssertionError("no JSON is known of " + schema);
    };
  }

  private static ObjectNode ofRecord(IndexedRecord record) {
    ObjectNode node = NODES.objectNode();
    for (Schema.Field field : record.getSchema().getFields()) {
      node.set(field.name(), of(field.schema(), record.get(field.pos())));
    }
    return node;
  }

  private static ArrayNode ofArray(Schema element, List<?> values) {
    ArrayNode node = NODES.arrayNode();
    values.forEach(value -> node.add(of(element, value)));
    return node;
  }

  private static ObjectNode ofMap(Schema valueSchema, Map<?, ?> entries) {
    Map<String, JsonNode> sorted = new TreeMap<>();
    entries.forEach((key, value) -> sorted.put(key.toString(), of(valueSchema, value)));
    return NODES.objectNode().setAll(sorted);
  }

  private static JsonNode ofNumber(double value) {
    return Double.isFinite(value)
        ? DoubleNode.valueOf(value)
        : TextNode.valueOf(Double.toString(value));
  }

  private static TextNode ofBytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return TextNode.valueOf(BinaryNode.valueOf(bytes).asText());
  }

  private static List<Object> array(Schema element, JsonNode json) {
    require(json.isArray(), element, json);
    List<Object> values = new ArrayList<>();
    json.forEach(item -> values.add(value(element, item)));
    return values;
  }

  private static Map<String, Object> map(Schema valueSchema, JsonNode json) {
    require(json.isObject(), valueSchema, json);
    Map<String, Object> entries = new TreeMap<>();
    json.properties().forEach(e -> entries.put(e.getKey(), value(valueSchema, e.getValue())));
    return entries;
  }

  private static double number(JsonNode json) {
    return json.isTextual() ? Double.parseDouble(json.textValue()) : json.doubleValue();
  }

  private static float asFloat(double value) {
    float narrowed = (float) value;
    if (Double.compare(narrowed, value) != 0) {
      throw new AssertionError(value + " is no 32-bit float");
    }
    return narrowed;
  }

  /** The type of an optional value. */
  private static Schema branch(Schema union) {
    return union.getTypes().stream()
        .filter(type -> type.getType() != Schema.Type.NULL)
        .findFirst()
        .orElseThrow();
  }

  private static String text(Schema schema, JsonNode json) {
    return required(json.isTextual(), schema, json).textValue();
  }

  private static JsonNode required(boolean holds, Schema schema, JsonNode json) {
    require(holds, schema, json);
    return json;
  }

  private static void require(boolean holds, Schema schema, JsonNode json) {
    if (!holds) {
      throw new AssertionError(json + " is no " + schema.getType() + " " + schema);
    }
  }

  /** One line of JSON. */
  static JsonNode parse(String line) {
    try {
      return new ObjectMapper().readTree(line);
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }
}
