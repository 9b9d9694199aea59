package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import java.util.LinkedHashMap;
import java.util.Map;
import org.p3ostream.policy.model.CausalLm;

/**
 * Weights of some versions on the device of one copy of the model: those used last stay. Confined
 * to one thread.
 */
final class VersionTensors implements AutoCloseable {

  /** Groups of a window rarely come from more versions, and each is a whole set of weights. */
  private static final int KEPT = 2;

  private final CausalLm model;
  private final BehaviorWeights weights;
  private final LinkedHashMap<Long, NDArray> byVersion = new LinkedHashMap<>(4, 0.75f, true);

  VersionTensors(CausalLm model, BehaviorWeights weights) {
    this.model = model;
    this.weights = weights;
  }

  /**
   * Parameters of a version, [P]. Stay open until two other versions have been asked for.
   *
   * @throws BehaviorSnapshotMissingException if its snapshot cannot be had
   */
  NDArray of(long version) {
    NDArray held = byVersion.get(version);
    if (held != null) {
      return held;
    }
    NDArray loaded = model.parameters(weights.of(version)); // [P]
    byVersion.put(version, loaded);
    if (byVersion.size() > KEPT) {
      Map.Entry<Long, NDArray> eldest = byVersion.entrySet().iterator().next();
      eldest.getValue().close();
      byVersion.remove(eldest.getKey());
    }
    return loaded;
  }

  @Override
  public void close() {
    byVersion.values().forEach(NDArray::close);
    byVersion.clear();
  }
}
