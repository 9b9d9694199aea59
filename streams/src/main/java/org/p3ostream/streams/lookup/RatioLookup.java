package org.p3ostream.streams.lookup;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

/** Ratios of trained groups; those of the steps asked for last are kept. Not thread-safe. */
public final class RatioLookup {
  private static final int STEPS_KEPT = 4;

  private final TokenRatios source;
  private final Map<Long, Map<Long, List<double[]>>> bySteps =
      new LinkedHashMap<>(8, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Map<Long, List<double[]>>> eldest) {
          return size() > STEPS_KEPT;
        }
      };

  public RatioLookup(TokenRatios source) {
    this.source = source;
  }

  /**
   * Ratios of a group.
   *
   * @throws NoRatiosException if there are none for good
   * @throws NotReadableException if the log cannot be read now
   */
  public GroupRatios fetch(TrainedGroup at) {
    Map<Long, List<double[]>> step = bySteps.get(at.step());
    if (step == null) {
      step = source.of(at.step());
      bySteps.put(at.step(), step);
    }
    List<double[]> responses = step.get(at.groupId());
    if (responses == null) {
      throw new NoRatiosException("step " + at.step() + " has none of group " + at.groupId());
    }
    return GroupRatios.of(at, responses);
  }
}
