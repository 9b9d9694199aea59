package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.TextNode;

/** Reads a list of texts or of numbers: a YAML list, or on the command line a JSON list. */
final class ListReader {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private ListReader() {}

  /** What {@code text} says as JSON; the text itself if it is no JSON, to be refused later. */
  static JsonNode parse(String text) {
    try {
      JsonNode parsed = JSON.readTree(text);
      return parsed.isArray() ? parsed : TextNode.valueOf(text);
    } catch (JsonProcessingException e) {
      return TextNode.valueOf(text);
    }
  }

  /**
   * {@code given} as a list of texts.
   *
   * @throws IllegalArgumentException with the value and the rule that it breaks
   */
  static ArrayNode texts(JsonNode given) {
    requireList(given, "texts, for instance [\"a\", \"b\"]");
    ArrayNode texts = JSON.createArrayNode();
    for (JsonNode text : given) {
      if (!text.isTextual()) {
        throw new IllegalArgumentException(
            "'" + text + "' in the list must be text: put it in quotes");
      }
      texts.add(text.asText());
    }
    return texts;
  }

  /**
   * {@code given} as a list of whole numbers.
   *
   * @throws IllegalArgumentException with the value and the rule that it breaks
   */
  static ArrayNode wholeNumbers(JsonNode given) {
    requireList(given, "whole numbers, for instance [1, 2]");
    ArrayNode numbers = JSON.createArrayNode();
    for (JsonNode number : given) {
      if (!number.isIntegralNumber() || !number.canConvertToLong()) {
        throw new IllegalArgumentException("'" + number + "' in the list must be a whole number");
      }
      numbers.add(number.asLong());
    }
    return numbers;
  }

  private static void requireList(JsonNode given, String what) {
    if (!given.isArray()) {
      String shown = given.isValueNode() ? given.asText() : given.toString();
      throw new IllegalArgumentException("'" + shown + "' must be a list of " + what);
    }
  }
}
