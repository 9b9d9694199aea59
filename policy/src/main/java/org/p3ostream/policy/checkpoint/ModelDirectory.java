package org.p3ostream.policy.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;

/** A model on disk. */
public final class ModelDirectory {

  private static final String CONFIG = "config.json";
  private static final String WEIGHTS = "model.safetensors";
  private static final String TOKENIZER = "tokenizer.json";
  private static final String HEAD = "lm_head.weight";

  /** What a directory holds. The weights are the caller's. */
  public static final class Contents {
    private final ModelConfig config;
    private final float[] weights;
    private final Path tokenizerJson;

    Contents(ModelConfig config, float[] weights, Path tokenizerJson) {
      this.config = config;
      this.weights = weights;
      this.tokenizerJson = tokenizerJson;
    }

    public ModelConfig config() {
      return config;
    }

    /** Flat weights in layout order, [P]. */
    public float[] weights() {
      return weights;
    }

    public Path tokenizerJson() {
      return tokenizerJson;
    }
  }

  private ModelDirectory() {}

  /**
   * Reads config.json and model.safetensors (float32, float16 or bfloat16; a single file).
   *
   * @throws IllegalArgumentException naming path, parameter and rule when the files do not fit each
   *     other
   */
  public static Contents load(Path directory) {
    ModelConfig config = loadConfig(directory);
    Path tokenizerJson = directory.resolve(TOKENIZER);
    if (!Files.isRegularFile(tokenizerJson)) {
      throw new IllegalArgumentException(tokenizerJson + ": missing");
    }
    return new Contents(config, weights(directory.resolve(WEIGHTS), config), tokenizerJson);
  }

  /** Reads config.json alone. */
  public static ModelConfig loadConfig(Path directory) {
    Path path = directory.resolve(CONFIG);
    try {
      return ConfigJson.parse(Files.readAllBytes(path));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be read", e);
    }
  }

  /**
   * Writes a directory that {@link #load} reads, copying the tokenizer file. The directory appears
   * whole or not at all; it must not exist yet, or be empty.
   */
  public static void save(Path directory, ModelConfig config, float[] weights, Path tokenizerJson) {
    Path target = directory.toAbsolutePath().normalize();
    try {
      requireAbsentOrEmpty(target);
      Path parent = Files.createDirectories(target.resolve("..").normalize());
      Path temporary = parent.resolve(target.getFileName() + ".partial-" + UUID.randomUUID());
      Files.createDirectory(temporary);
      try {
        SafetensorsWriter.write(temporary.resolve(WEIGHTS), ParameterLayout.of(config), weights);
        Files.write(temporary.resolve(CONFIG), ConfigJson.format(config));
        Files.copy(tokenizerJson, temporary.resolve(TOKENIZER));
        force(temporary.resolve(CONFIG));
        force(temporary.resolve(TOKENIZER));
        force(temporary);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        force(parent);
      } finally {
        deleteIfPresent(temporary);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(directory + ": cannot be written", e);
    }
  }

  private static float[] weights(Path path, ModelConfig config) {
    ParameterLayout layout = ParameterLayout.of(config);
    float[] weights = new float[layout.size()];
    try (SafetensorsReader file = SafetensorsReader.open(path)) {
      Set<String> unread = new HashSet<>(file.names());
      for (ParameterLayout.Slice slice : layout.slices()) {
        if (!file.shape(slice.name()).equals(slice.shape())) {
          throw new IllegalArgumentException(
              String.format(
                  "%s: tensor %s has shape %s, %s asks for %s",
                  path, slice.name(), file.shape(slice.name()), CONFIG, slice.shape()));
        }
        file.read(slice.name(), weights, Math.toIntExact(slice.elementOffset()));
        unread.remove(slice.name());
      }
      if (config.tiedEmbeddings()) {
        unread.remove(HEAD); // published files repeat the embedding under this name
      }
      if (!unread.isEmpty()) {
        throw new IllegalArgumentException(path + ": tensors " + unread + " are not in the model");
      }
    }
    return weights;
  }

  private static void requireAbsentOrEmpty(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> content = Files.list(directory)) {
        if (content.findAny().isEmpty()) {
          return;
        }
      }
    }
    if (Files.exists(directory)) {
      throw new FileAlreadyExistsException(directory.toString(), null, "exists and is not empty");
    }
  }

  /** Makes a file's content, or a directory's list of entries, durable. */
  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void deleteIfPresent(Path temporary) throws IOException {
    for (String file : new String[] {CONFIG, WEIGHTS, TOKENIZER}) {
      Files.deleteIfExists(temporary.resolve(file));
    }
    Files.deleteIfExists(temporary);
  }
}
