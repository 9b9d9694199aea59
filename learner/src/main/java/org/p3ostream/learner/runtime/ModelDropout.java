package org.p3ostream.learner.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a model's config.json says of dropout: attention_dropout, hidden_dropout_prob, resid_pdrop
 * and whatever else it is called. The model here has none, so any that is asked for is refused
 * rather than passed over.
 */
final class ModelDropout {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern NAME = Pattern.compile("(^|_)(dropout|\\w*pdrop)(_|$)");

  private ModelDropout() {}

  /**
   * @throws IllegalArgumentException naming path, key and value of a dropout other than 0
   */
  static void requireNone(Path modelDirectory) {
    Path file = modelDirectory.resolve("config.json");
    try {
      for (Map.Entry<String, JsonNode> entry :
          JSON.readTree(Files.readAllBytes(file)).properties()) {
        if (NAME.matcher(entry.getKey()).find() && entry.getValue().asDouble() != 0) {
          throw new IllegalArgumentException(
              "%s: %s: %s must be 0: pre-pass and update must see the same log-probs, and dropout would draw another network for each"
                  .formatted(file, entry.getKey(), entry.getValue()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be read", e);
    }
  }
}
