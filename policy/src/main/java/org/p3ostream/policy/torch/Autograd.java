package org.p3ostream.policy.torch;

import ai.djl.ndarray.NDArray;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;

/**
 * Grad mode of the current thread. While {@link #record} is open, results of {@link
 * ScriptModule#call} on arrays that require gradients carry their graph. DJL's own collector is
 * avoided because a process can have only one of them, while replicas each need theirs.
 */
public final class Autograd implements AutoCloseable {

  private final boolean previousMode;
  private final Thread owner = Thread.currentThread();

  private Autograd() {
    TorchRuntime.engine();
    previousMode = JniUtils.isGradMode();
    JniUtils.setGradMode(true);
  }

  /** Switches grad mode on for this thread until closed. */
  public static Autograd record() {
    return new Autograd();
  }

  /**
   * Back-propagates a scalar; gradients accumulate in the leaves. Frees the graph.
   *
   * @param loss 0-dimensional
   */
  public static void backward(NDArray loss) {
    if (loss.getShape().dimension() != 0) {
      throw new IllegalArgumentException(
          "loss must be 0-dimensional, has shape " + loss.getShape());
    }
    try (NDArray one = loss.onesLike()) {
      JniUtils.backward((PtNDArray) loss, (PtNDArray) one, false, false);
    }
  }

  /** Restores the mode that was in force before. */
  @Override
  public void close() {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "grad mode of thread " + owner.getName() + " cannot be restored on another thread");
    }
    JniUtils.setGradMode(previousMode);
  }
}
