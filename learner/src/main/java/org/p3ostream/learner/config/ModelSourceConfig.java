package org.p3ostream.learner.config;

/**
 * The model and the hardware it runs on.
 *
 * @param directory model directory in HuggingFace layout; the weights of version 0
 * @param device cpu or gpu:i
 * @param threads intra-op threads of the engine
 * @param dropout 0: see {@link ObjectiveGates}
 */
public record ModelSourceConfig(String directory, String device, int threads, double dropout) {
  public ModelSourceConfig {
    if (!device.matches("cpu|gpu:\\d+")) {
      throw new IllegalArgumentException("model.device: '" + device + "' is not cpu or gpu:i");
    }
    if (threads < 1) {
      throw new IllegalArgumentException("model.threads: " + threads + " must be >= 1");
    }
  }

  public static ModelSourceConfig defaults() {
    return new ModelSourceConfig("model", "cpu", 1, 0);
  }
}
