package org.p3ostream.policy.model;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import java.util.Arrays;
import java.util.Random;
import org.p3ostream.policy.torch.TorchRuntime;

/** Models small enough for oracles, with weights large enough for peaked distributions. */
public final class TinyModels {

  /** Four query heads on two key heads; the head is the embedding. */
  public static final ModelConfig GROUPED_TIED =
      new ModelConfig(11, 12, 20, 2, 4, 2, 6, 1e-6, 1e4, true, 32, 9, 10);

  /** As many key heads as query heads; a head of its own; another base and epsilon. */
  public static final ModelConfig FULL_UNTIED =
      new ModelConfig(13, 8, 10, 3, 3, 3, 4, 1e-5, 1e6, false, 32, 11, 12);

  /** One key head for all queries, whose width together is not the hidden size. */
  public static final ModelConfig SINGLE_KEY_HEAD =
      new ModelConfig(7, 10, 16, 1, 3, 1, 8, 1e-6, 100, true, 32, 5, 6);

  private TinyModels() {}

  /** Starts the engine for the calling thread and makes a float64 model. */
  public static CausalLm float64(ModelConfig config) {
    return model(config, DataType.FLOAT64);
  }

  public static CausalLm model(ModelConfig config, DataType dtype) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    return new CausalLm(config, Device.cpu(), dtype);
  }

  /** Normal(0, 0.5) matrices, Normal(1, 0.2) norms. */
  public static float[] weights(ModelConfig config, long seed) {
    ParameterLayout layout = ParameterLayout.of(config);
    float[] weights = new float[layout.size()];
    Random random = new Random(seed);
    for (ParameterLayout.Slice slice : layout.slices()) {
      boolean norm = slice.shape().size() == 1;
      for (long i = 0; i < slice.elementCount(); i++) {
        double noise = random.nextGaussian();
        weights[(int) (slice.elementOffset() + i)] = (float) (norm ? 1 + 0.2 * noise : 0.5 * noise);
      }
    }
    return weights;
  }

  /** Random token ids, row-major [rows, length]. */
  public static long[] ids(ModelConfig config, int rows, int length, long seed) {
    return new Random(seed).longs((long) rows * length, 0, config.vocabSize()).toArray();
  }

  /** A slice of the flat weights. */
  static float[] named(ModelConfig config, float[] weights, String name) {
    for (ParameterLayout.Slice slice : ParameterLayout.of(config).slices()) {
      if (slice.name().equals(name)) {
        int start = (int) slice.elementOffset();
        return Arrays.copyOfRange(weights, start, start + (int) slice.elementCount());
      }
    }
    throw new IllegalArgumentException("no parameter " + name);
  }
}
