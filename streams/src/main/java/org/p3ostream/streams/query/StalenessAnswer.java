package org.p3ostream.streams.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How old trained tokens were, and what waits.
 *
 * @param windows windows counted
 * @param tokens valid tokens in them
 * @param histogram these by staleness, ascending
 * @param lagRecords records seen and not consumed by a settled event; null before the first was
 *     seen
 * @param lagWindows the learner's figure in the newest window that has one; null if none has
 * @param lagSeconds age of the oldest of the records; 0 if there are none, null before the first
 *     and if more are waiting than are held
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
