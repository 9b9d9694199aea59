package org.p3ostream.deploy.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.avro.specific.SpecificRecord;

/** Records as JSON, one object per line, in ASCII: safe for pipes and terminals alike. */
final class JsonLines {

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private JsonLines() {}

  /**
   * All fields of a record under the names of its schema; numbers that are none are texts ({@code
   * "NaN"}).
   */
  static ObjectNode tree(SpecificRecord record) {
    return (ObjectNode) parse(record.toString());
  }

  /** Where an entry stands: topic, partition, offset and timestamp. */
  static ObjectNode coordinate(LogEntry entry) {
    return JSON.createObjectNode()
        .put("topic", entry.topic())
        .put("partition", entry.partition())
        .put("offset", entry.recordOffset())
        .put("timestamp", entry.timestamp());
  }

  static String line(ObjectNode tree) {
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Avro's text is not JSON: " + json, e);
    }
  }
}
