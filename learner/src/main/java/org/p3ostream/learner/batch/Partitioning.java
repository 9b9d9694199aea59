package org.p3ostream.learner.batch;

import ai.djl.Device;
import java.util.Collections;
import java.util.List;

/**
 * How the work on a window is cut up. Changes nothing but rounding.
 *
 * @param microBatchTokens token budget of a micro-batch, padding included
 * @param retainedGraphTokens tokens whose graphs each replica may keep from the pre-pass to the
 *     backward pass, padding included
 * @param devices one replica per entry, on that device; the first must be the model's own
 */
public record Partitioning(int microBatchTokens, int retainedGraphTokens, List<Device> devices) {
  public Partitioning {
    if (microBatchTokens < 1 || retainedGraphTokens < 0 || devices.isEmpty()) {
      throw new IllegalArgumentException(
          "microBatchTokens %d must be >= 1, retainedGraphTokens %d >= 0, devices %s not empty"
              .formatted(microBatchTokens, retainedGraphTokens, devices));
    }
    devices = List.copyOf(devices);
  }

  /** Replicas that share one device. */
  public static Partitioning on(
      Device device, int replicas, int microBatchTokens, int retainedGraphTokens) {
    return new Partitioning(
        microBatchTokens, retainedGraphTokens, Collections.nCopies(replicas, device));
  }

  /** R. */
  public int replicas() {
    return devices.size();
  }
}
