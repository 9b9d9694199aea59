package org.p3ostream.learner.config;

import org.jspecify.annotations.Nullable;

/**
 * What a window is.
 *
 * @param maxTopUps how often a group is dispatched again, lost or rejected, before its window is
 *     trained without it
 * @param maxStaleness a group with a token that is more policy versions old than this when its
 *     window is next to be trained is rejected as STALE and dispatched again at the version then in
 *     force; null for no bound but that of {@link DispatchConfig}
 */
public record WindowConfig(int maxTopUps, @Nullable Integer maxStaleness) {
  public WindowConfig {
    require(maxTopUps >= 0, "maxTopUps", maxTopUps, "must be >= 0");
    if (maxStaleness != null) {
      require(maxStaleness >= 0, "maxStaleness", maxStaleness, "must be >= 0 policy versions");
    }
  }

  public static WindowConfig defaults() {
    return new WindowConfig(10, null);
  }

  private static void require(boolean holds, String key, int value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("window." + key + ": " + value + " " + rule);
    }
  }
}
