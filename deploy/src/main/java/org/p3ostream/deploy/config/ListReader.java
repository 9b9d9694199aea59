package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.TextNode;

/** Reads a list of texts: a YAML list, or on the command line a JSON list. */
final class TextListReader {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private TextListReader() {}

  /**
   * What {@code text} says as JSON; the text itself if it is no JSON, for {@link #read} to refuse.
   */
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
  static ArrayNode read(JsonNode given) {
    if (!given.isArray()) {
      String shown = given.isValueNode() ? given.asText() : given.toString();
      throw new IllegalArgumentException(
          "'" + shown + "' must be a list of texts, for instance [\"a\", \"b\"]");
    }
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
}
