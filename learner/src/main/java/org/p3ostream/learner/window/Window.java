package org.p3ostream.learner.window;

import java.util.Comparator;
import java.util.List;

/**
 * The groups of one optimizer step, in groupId order: the update is a function of the set.
 *
 * @param index window index, which is also the step
 * @param groups ordered by group id
 * @param missingGroups ids of groups that were given up, ascending
 */
public record Window(long index, List<TrainingGroup> groups, List<Long> missingGroups) {
  public Window {
    missingGroups = List.copyOf(missingGroups);
    groups = groups.stream().sorted(Comparator.comparingLong(TrainingGroup::groupId)).toList();
  }

  /** A window that lacks nothing. */
  public Window(long index, List<TrainingGroup> groups) {
    this(index, groups, List.of());
  }

  /** N: tokens in ESS and loss. */
  public long validTokens() {
    long count = 0;
    for (TrainingGroup group : groups) {
      for (TrainingResponse response : group.responses()) {
        for (int t = 0; t < response.length(); t++) {
          count += response.isValid(t) ? 1 : 0;
        }
      }
    }
    return count;
  }
}
