package org.p3ostream.policy.torch;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import ai.djl.pytorch.engine.PtEngine;
import ai.djl.pytorch.jni.JniUtils;

/** Starts the engine once per process and prepares the threads that use it. */
public final class TorchRuntime {

  private static final Object LOCK = new Object();
  private static int startedThreads; // guarded by LOCK; 0 before the start

  private TorchRuntime() {}

  /**
   * Loads the engine without touching the network and sets the number of intra-op threads.
   * Idempotent with the same number.
   *
   * @param threads intra-op threads, ≥ 1
   * @throws IllegalStateException if the engine runs with another number of threads
   */
  public static void start(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be >= 1, was " + threads);
    }
    synchronized (LOCK) {
      if (startedThreads == threads) {
        return;
      }
      if (startedThreads != 0) {
        throw new IllegalStateException(
            "engine already runs with "
                + startedThreads
                + " intra-op threads, asked for "
                + threads);
      }
      stayOffline();
      engine(); // before JniUtils, whose class links against the library the engine loads
      JniUtils.setNumThreads(threads);
      startedThreads = threads;
    }
  }

  /**
   * To be called first on every thread that touches tensors: grad mode off, the graph executor's
   * profiling optimisation off (both are thread-local; a new thread starts with grad mode on).
   */
  public static void prepareThread() {
    engine();
    JniUtils.setGradMode(false);
    JniUtils.setGraphExecutorOptimize(false);
  }

  /**
   * Keeps the native libraries' loaders off the network: what is not on the class path or in their
   * cache is an error, not a download, and nothing is reported home. Part of {@link #start}; for
   * code that uses a loader without the engine.
   */
  public static void stayOffline() {
    setIfAbsent("ai.djl.offline", "true");
    setIfAbsent("OPT_OUT_TRACKING", "true");
  }

  /** Version of the native library, for the record. */
  public static String version() {
    return engine().getVersion();
  }

  /**
   * A manager of its own for long-lived arrays on {@code device}; the caller closes it.
   *
   * @throws IllegalArgumentException if there is no such device
   */
  public static NDManager newManager(Device device) {
    if (device.isGpu() && device.getDeviceId() >= engine().getGpuCount()) {
      throw new IllegalArgumentException(
          "model.device: gpu:%d is not there, the engine sees %d accelerators"
              .formatted(device.getDeviceId(), engine().getGpuCount()));
    }
    return engine().newBaseManager(device);
  }

  static Engine engine() {
    return Engine.getEngine(PtEngine.ENGINE_NAME);
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
