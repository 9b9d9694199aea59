package org.p3ostream.learner.config;

/**
 * Deletion of records that no recovery needs. The ledger stays whole. What was trimmed can no
 * longer be executed again from GENESIS, replayed, forked or looked at.
 *
 * @param enabled off, the log grows for ever
 * @param everySteps steps between two trims
 * @param keepWindows windows kept before those that the oldest kept checkpoint needs
 */
public record TrimmingConfig(boolean enabled, int everySteps, int keepWindows) {
  public TrimmingConfig {
    require(everySteps >= 1, "everySteps", everySteps, "must be >= 1");
    require(keepWindows >= 0, "keepWindows", keepWindows, "must be >= 0");
  }

  public static TrimmingConfig defaults() {
    return new TrimmingConfig(false, 100, 100);
  }

  private static void require(boolean holds, String key, long value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("trimming." + key + ": " + value + " " + rule);
    }
  }
}
