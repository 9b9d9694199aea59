package org.p3ostream.learner.config;

/** Controls of staleness that cannot stand beside each other. */
public final class StalenessGates {

  private StalenessGates() {}

  /**
   * @throws IllegalArgumentException naming paths, values and reason of the first combination that
   *     must not be
   */
  public static void require(DispatchConfig dispatch, WindowConfig window, LearnerConfig learner) {
    require(
        learner.holdBackWindows() <= dispatch.maxStaleness(),
        "learner.holdBackWindows: %d must be <= dispatch.maxStaleness (%d): no more windows than that"
                .formatted(learner.holdBackWindows(), dispatch.maxStaleness())
            + " are dispatched beyond the one to be trained, so that the learner would wait for"
            + " windows that nobody was asked for");
    Integer maxStaleness = window.maxStaleness();
    int again = dispatch.syncInterval() - 1 + dispatch.versionsBack(); // versions old
    require(
        maxStaleness == null || maxStaleness >= again,
        "window.maxStaleness: %d must be >= dispatch.syncInterval - 1 + dispatch.versionsBack (%d): a group that is sampled again asks for the version in force, rounded down to a multiple of the interval, may be sampled by versions before it, and would be too"
                .formatted(maxStaleness, again)
            + " stale again");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
