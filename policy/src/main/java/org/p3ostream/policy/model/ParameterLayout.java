package org.p3ostream.policy.model;

import java.util.List;

/**
 * Where each named parameter lies in the flat vector. Names and shapes are HuggingFace's; q, k, v
 * and gate, up lie side by side, so that one matrix product serves each group.
 */
public final class ParameterLayout {

  /**
   * One named parameter.
   *
   * @param name HuggingFace name
   * @param shape row-major shape
   * @param elementOffset index of its first element in the flat vector
   */
  public record Slice(String name, List<Long> shape, long elementOffset) {}

  private ParameterLayout() {}

  public static ParameterLayout of(ModelConfig config) {
    throw new UnsupportedOperationException("not built yet" + config);
  }

  /** Parameters in layout order. */
  public List<Slice> slices() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** P: elements of the flat vector. */
  public int size() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** SHA-256, hexadecimal, of architecture and layout: equal for weights that are exchangeable. */
  public String modelHash() {
    throw new UnsupportedOperationException("not built yet");
  }
}
