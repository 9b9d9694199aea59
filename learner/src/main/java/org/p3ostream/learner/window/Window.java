package org.p3ostream.learner.window;

import java.util.Comparator;
import java.util.List;

/**
 * The groups of one optimizer step, in groupId order: the update is a function of the set.
 *
 * @param index window index, which is also the step
 * @param groups ordered by group id
 */
public record Window(long index, List<TrainingGroup> groups) {
  public Window {
    groups = groups.stream().sorted(Comparator.comparingLong(TrainingGroup::groupId)).toList();
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
