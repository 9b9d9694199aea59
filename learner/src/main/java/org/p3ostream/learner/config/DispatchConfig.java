package org.p3ostream.learner.config;

/**
 * When prompts are dispatched.
 *
 * @param groupsPerWindow B, groups of one optimizer step
 * @param maxStaleness η: committing step w − η − 1 dispatches window w
 * @param syncInterval k: a prompt asks for the version in force, rounded down to a multiple of k,
 *     so that tokens are at most η + k − 1 versions old
 * @param versionsBack how much older than its prompt asks for a version may be that samples a
 *     response: what a mixture of variants needs. Tokens are then at most η + k − 1 + versionsBack
 *     versions old
 * @param timeoutSeconds how long a dispatched group may take before it counts as lost and is
 *     dispatched again; doubles with every further dispatch of a group
 * @param lockstep a prompt names the exact version that must sample it, but for {@code
 *     versionsBack}: the run does not depend on timing
 */
public record DispatchConfig(
    int groupsPerWindow,
    int maxStaleness,
    int syncInterval,
    int versionsBack,
    int timeoutSeconds,
    boolean lockstep) {

  /** Largest B (η + 1): keeps every step event below 1 MB. */
  public static final int MAX_OPEN_GROUPS = 8192;

  public DispatchConfig {
    if (groupsPerWindow < 1) {
      throw new IllegalArgumentException(
          "dispatch.groupsPerWindow: " + groupsPerWindow + " must be >= 1");
    }
    if (maxStaleness < 0) {
      throw new IllegalArgumentException(
          "dispatch.maxStaleness: " + maxStaleness + " must be >= 0 policy versions");
    }
    if (syncInterval < 1) {
      throw new IllegalArgumentException(
          "dispatch.syncInterval: " + syncInterval + " must be >= 1 policy versions");
    }
    if (versionsBack < 0) {
      throw new IllegalArgumentException(
          "dispatch.versionsBack: " + versionsBack + " must be >= 0 policy versions");
    }
    if (maxStaleness + (long) syncInterval + versionsBack > MAX_OPEN_GROUPS) {
      throw new IllegalArgumentException(
          "dispatch.syncInterval: %d plus dispatch.maxStaleness (%d) plus dispatch.versionsBack (%d) must be <= %d versions:"
                  .formatted(syncInterval, maxStaleness, versionsBack, MAX_OPEN_GROUPS)
              + " a step event has statistics of each that sampled its window");
    }
    if (timeoutSeconds < 1) {
      throw new IllegalArgumentException(
          "dispatch.timeoutSeconds: " + timeoutSeconds + " must be >= 1");
    }
    if (groupsPerWindow * (maxStaleness + 1L) > MAX_OPEN_GROUPS) {
      throw new IllegalArgumentException(
          "dispatch.groupsPerWindow: %d times dispatch.maxStaleness (%d) + 1 must be <= %d groups:"
                  .formatted(groupsPerWindow, maxStaleness, MAX_OPEN_GROUPS)
              + " a step event lists those that are dispatched and not yet trained");
    }
  }

  /** The version that a prompt asks for which is dispatched while {@code versionInForce} is. */
  public long askedVersion(long versionInForce) {
    return versionInForce - versionInForce % syncInterval;
  }

  public static DispatchConfig defaults() {
    return new DispatchConfig(8, 1, 1, 0, 600, true);
  }
}
