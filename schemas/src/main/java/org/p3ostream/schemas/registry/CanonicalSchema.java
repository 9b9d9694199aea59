package org.p3ostream.schemas.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.avro.Schema;

/**
 * The one text under which a schema is registered: as Avro prints it, without the properties that
 * only concern generated Java code. Some registries give a new id to every other formatting.
 */
final class CanonicalSchema {

  private static final String JAVA_STRING = "avro.java.string";

  private CanonicalSchema() {}

  static String textOf(Schema schema) {
    try {
      JsonNode tree = new ObjectMapper().readTree(schema.toString());
      removeJavaProperties(tree);
      return new Schema.Parser().parse(tree.toString()).toString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Avro printed a schema that is no JSON: " + schema, e);
    }
  }

  private static void removeJavaProperties(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object.remove(JAVA_STRING);
    }
    node.forEach(CanonicalSchema::removeJavaProperties);
  }
}
