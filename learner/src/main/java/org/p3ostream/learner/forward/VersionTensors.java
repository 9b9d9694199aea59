package org.p3ostream.learner.forward;

import ai.djl.ndarray.NDArray;
import java.util.LinkedHashMap;
import java.util.Map;
import org.p3ostream.policy.model.CausalLm;

/**
 * Weights of some versions on the device of one copy of the model, as they are or rounded: those
 * used last stay. Confined to one thread.
 */
final class VersionTensors implements AutoCloseable {

  /** Groups of a window rarely come from more versions, and each is a whole set of weights. */
  private static final int KEPT = 2;

  private final CausalLm model;
  private final BehaviorWeights weights;
  private final LinkedHashMap<SampledBy, NDArray> held = new LinkedHashMap<>(4, 0.75f, true);

  VersionTensors(CausalLm model, BehaviorWeights weights) {
    this.model = model;
    this.weights = weights;
  }

  /**
   * Parameters of a version, rounded if need be, [P]. Stay open until two others have been asked
   * for.
   *
   * @throws BehaviorSnapshotMissingException if its snapshot cannot be had
   */
  NDArray of(SampledBy sampledBy) {
    NDArray found = held.get(sampledBy);
    if (found != null) {
      return found;
    }
    float[] rounded = // [P]
        sampledBy.precision().round(model.layout(), weights.of(sampledBy.version()));
    NDArray loaded = model.parameters(rounded); // [P]
    held.put(sampledBy, loaded);
    if (held.size() > KEPT) {
      Map.Entry<SampledBy, NDArray> eldest = held.entrySet().iterator().next();
      eldest.getValue().close();
      held.remove(eldest.getKey());
    }
    return loaded;
  }

  @Override
  public void close() {
    held.values().forEach(NDArray::close);
    held.clear();
  }
}
