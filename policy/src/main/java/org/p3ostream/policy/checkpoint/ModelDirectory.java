package org.p3ostream.policy.checkpoint;

import java.nio.file.Path;
import org.p3ostream.policy.model.ModelConfig;

/** A model on disk. */
public final class ModelDirectory {

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
    throw new UnsupportedOperationException("not built yet" + directory);
  }

  /** Reads config.json alone. */
  public static ModelConfig loadConfig(Path directory) {
    throw new UnsupportedOperationException("not built yet" + directory);
  }

  /** Writes a directory that {@link #load} reads, copying the tokenizer file. */
  public static void save(Path directory, ModelConfig config, float[] weights, Path tokenizerJson) {
    throw new UnsupportedOperationException(
        "not built yet" + directory + config + weights.length + tokenizerJson);
  }
}
