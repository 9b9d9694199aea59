package org.p3ostream.learner.trim;

import java.util.HashMap;
import java.util.Map;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * What executing a window again reads.
 *
 * @param window window index, which is also the step
 * @param firstOffsets lowest offset of its records, by partition of `rollouts`
 * @param oldestVersion oldest policy version that sampled a token of it; {@code Long.MAX_VALUE} for
 *     a window without groups
 */
record WindowFootprint(long window, Map<Integer, Long> firstOffsets, long oldestVersion) {
  WindowFootprint {
    firstOffsets = Map.copyOf(firstOffsets);
  }

  static WindowFootprint of(StepEvent event) {
    Map<Integer, Long> firstOffsets = new HashMap<>();
    long oldestVersion = Long.MAX_VALUE;
    for (WindowEntry entry : event.getWindow()) {
      firstOffsets.merge(entry.getPartition(), entry.getRecordOffset(), Math::min);
      oldestVersion = Math.min(oldestVersion, entry.getPolicyVersion());
    }
    return new WindowFootprint(event.getStep(), firstOffsets, oldestVersion);
  }
}
