package org.p3ostream.policy.torch;

import ai.djl.ndarray.NDArray;

/**
 * Grad mode of the current thread. While open, results of {@link ScriptModule#call} on arrays that
 * require gradients carry their graph.
 */
public final class Autograd implements AutoCloseable {

  private Autograd() {}

  /** Switches grad mode on for this thread until closed. */
  public static Autograd record() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Back-propagates a scalar; gradients accumulate in the leaves. Frees the graph.
   *
   * @param loss 0-dimensional
   */
  public static void backward(NDArray loss) {
    throw new UnsupportedOperationException("not built yet" + loss);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not built yet");
  }
}
