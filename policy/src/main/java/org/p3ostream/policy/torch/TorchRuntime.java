package org.p3ostream.policy.torch;

/** Starts the engine once per process and prepares the threads that use it. */
public final class TorchRuntime {

  private TorchRuntime() {}

  /**
   * Loads the engine without touching the network and sets the number of intra-op threads.
   * Idempotent with the same number.
   *
   * @param threads intra-op threads, ≥ 1
   */
  public static void start(int threads) {
    throw new UnsupportedOperationException("not built yet" + threads);
  }

  /**
   * To be called first on every thread that touches tensors: grad mode off, the graph executor's
   * profiling optimisation off (both are thread-local; a new thread starts with grad mode on).
   */
  public static void prepareThread() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Version of the native library, for the record. */
  public static String version() {
    throw new UnsupportedOperationException("not built yet");
  }
}
