package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import java.util.Map;

/** Writes a resolved configuration for people, without its secrets. */
public final class ConfigPrinter {

  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .stringQuotingChecker(new Quoting())
              .build());

  /** Leaves no text without quotes that might be read back as a number. */
  private static final class Quoting extends StringQuotingChecker.Default {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean needToQuoteValue(String value) {
      return super.needToQuoteValue(value) || value.matches("[-+.0-9].*");
    }
  }

  private ConfigPrinter() {}

  /** The configuration as YAML; secrets are masked, and what is unset is left out. */
  public static String toYaml(Record config) {
    ObjectNode tree = ConfigTree.of(config);
    tidy("", tree);
    try {
      return YAML.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot print the configuration", e);
    }
  }

  private static void tidy(String prefix, ObjectNode node) {
    node.properties().removeIf(entry -> entry.getValue().isNull());
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String path = prefix + entry.getKey();
      if (entry.getValue() instanceof ObjectNode inner) {
        tidy(path + ".", inner);
      } else if (entry.getValue() instanceof ArrayNode list) {
        tidy(path, list);
      } else if (entry.getValue().isTextual()) {
        entry.setValue(TextNode.valueOf(Secrets.masked(path, entry.getValue().asText())));
      }
    }
  }

  private static void tidy(String path, ArrayNode sections) {
    for (int i = 0; i < sections.size(); i++) {
      if (sections.get(i) instanceof ObjectNode section) {
        tidy(path + "[" + i + "].", section);
      }
    }
  }
}
