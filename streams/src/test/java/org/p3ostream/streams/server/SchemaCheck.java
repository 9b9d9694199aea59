package org.p3ostream.streams.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * As much of JSON Schema as the API's description uses: type, properties, required,
 * additionalProperties, items, enum, oneOf and references within the document.
 */
final class SchemaCheck {
  private final JsonNode document;
  private final List<String> breaches = new ArrayList<>();

  private SchemaCheck(JsonNode document) {
    this.document = document;
  }

  /** Where {@code value} is not what {@code schema} says, and how; empty if nowhere. */
  static List<String> breaches(JsonNode document, JsonNode schema, JsonNode value) {
    SchemaCheck check = new SchemaCheck(document);
    check.check("$", schema, value);
    return check.breaches;
  }

  private void check(String path, JsonNode schema, JsonNode value) {
    if (schema.has("$ref")) {
      check(path, document.at(schema.get("$ref").asText().substring(1)), value);
      return;
    }
    if (schema.has("oneOf")) {
      long fits =
          elements(schema.get("oneOf")).stream()
              .filter(one -> breaches(document, one, value).isEmpty())
              .count();
      require(fits == 1, path, "fits " + fits + " of oneOf");
      return;
    }
    List<String> types =
        schema.get("type").isArray()
            ? elements(schema.get("type")).stream().map(JsonNode::asText).toList()
            : List.of(schema.get("type").asText());
    require(types.contains(type(value)) || isWholeNumber(types, value), path, types + ": " + value);
    require(
        !schema.has("enum") || elements(schema.get("enum")).contains(value),
        path,
        "enum: " + value);
    if (value.isObject()) {
      checkObject(path, schema, value);
    } else if (value.isArray()) {
      for (int i = 0; i < value.size(); i++) {
        check(path + "[" + i + "]", schema.get("items"), value.get(i));
      }
    }
  }

  private void checkObject(String path, JsonNode schema, JsonNode value) {
    elements(schema.path("required"))
        .forEach(name -> require(value.has(name.asText()), path, "lacks " + name));
    value
        .properties()
        .forEach(
            entry -> {
              String at = path + "." + entry.getKey();
              JsonNode property = schema.path("properties").path(entry.getKey());
              JsonNode others = schema.path("additionalProperties");
              if (!property.isMissingNode()) {
                check(at, property, entry.getValue());
              } else if (others.isObject()) {
                check(at, others, entry.getValue());
              } else {
                require(!others.isBoolean() || others.asBoolean(), at, "is not described");
              }
            });
  }

  private static boolean isWholeNumber(List<String> types, JsonNode value) {
    return types.contains("number") && type(value).equals("integer");
  }

  private static String type(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "array";
      case STRING -> "string";
      case BOOLEAN -> "boolean";
      case NULL -> "null";
      case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
      default -> value.getNodeType().name();
    };
  }

  private void require(boolean holds, String path, String what) {
    if (!holds) {
      breaches.add(path + " " + what);
    }
  }

  private static List<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
