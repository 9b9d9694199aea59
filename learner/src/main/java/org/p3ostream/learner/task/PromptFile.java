package org.p3ostream.learner.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Prompts as JSONL: one object with {@code prompt} and {@code answer} per line; other fields are
 * ignored.
 */
public final class PromptFile {

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private PromptFile() {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException naming file, line, field and rule
   */
  public static List<PromptExample> read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(file.toAbsolutePath() + ": cannot be read: " + e, e);
    }
    List<PromptExample> examples = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        examples.add(parse(file, i + 1, lines.get(i)));
      }
    }
    if (examples.isEmpty()) {
      throw new IllegalArgumentException(file + ": holds no prompt");
    }
    return examples;
  }

  /** Writes a file that {@link #read} reads. */
  public static void write(Path file, List<PromptExample> examples) {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (PromptExample example : examples) {
        out.write(JSON.writeValueAsString(example));
        out.write('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  private static PromptExample parse(Path file, int line, String text) {
    JsonNode node;
    try {
      node = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          file + " line " + line + ": not JSON: " + e.getOriginalMessage(), e);
    }
    return new PromptExample(
        string(file, line, node, "prompt"), string(file, line, node, "answer"));
  }

  private static String string(Path file, int line, JsonNode node, String field) {
    JsonNode value = node.get(field);
    if (value == null || !value.isTextual() || value.textValue().isEmpty()) {
      throw new IllegalArgumentException(
          file
              + " line "
              + line
              + ": field '"
              + field
              + "' must be a non-empty string, was "
              + value);
    }
    return value.textValue();
  }
}
