package org.p3ostream.policy.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.p3ostream.policy.model.ModelConfig;

/**
 * The small model that ships with the project: 99,712 parameters over a vocabulary of 16 characters
 * (digits, {@code = + - *}, end of sequence, padding). Its files are the ones a real model
 * directory has.
 */
public final class NanoModel {

  private static final String CONFIG = "/org/p3ostream/policy/nano/config.json";
  private static final String TOKENIZER = "/org/p3ostream/policy/nano/tokenizer.json";

  private NanoModel() {}

  public static ModelConfig config() {
    try (InputStream stream = resource(CONFIG)) {
      return ConfigJson.parse(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("reading resource " + CONFIG, e);
    }
  }

  /** Writes the tokenizer file to {@code target}, which must not exist. */
  public static void copyTokenizer(Path target) {
    try (InputStream stream = resource(TOKENIZER)) {
      Files.copy(stream, target);
    } catch (IOException e) {
      throw new UncheckedIOException(target + ": cannot be written", e);
    }
  }

  private static InputStream resource(String name) {
    InputStream stream = NanoModel.class.getResourceAsStream(name);
    if (stream == null) {
      throw new IllegalStateException("resource " + name + " is missing");
    }
    return stream;
  }
}
