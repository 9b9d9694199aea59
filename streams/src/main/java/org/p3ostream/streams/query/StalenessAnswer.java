package org.p3ostream.streams.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How old trained tokens were, and what waits.
 *
 * @param windows windows counted
 * @param tokens valid tokens in them
 * @param histogram these by staleness, ascending
 * @param lagRecords {@code rollout/lag_records} of the newest window that was settled; null before
 *     the first
 * @param lagWindows the learner's figure in the newest window that has one; null if none has
 * @param lagSeconds {@code rollout/lag_seconds} of the same; null before the first and where it is
 *     not known
 */
public record StalenessAnswer(
    int windows,
    long tokens,
    List<Bar> histogram,
    @Nullable Long lagRecords,
    @Nullable Integer lagWindows,
    @Nullable Double lagSeconds) {

  /** Valid tokens that were {@code staleness} policy versions old when they were trained. */
  public record Bar(long staleness, long tokens) {}
}
