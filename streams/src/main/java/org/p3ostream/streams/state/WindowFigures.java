package org.p3ostream.streams.state;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A window that the ledger trained or passed.
 *
 * @param step its index
 * @param committedAt event time of the ledger event, milliseconds since the epoch
 * @param staleness valid tokens by policy versions between training and sampling; empty for a no-op
 * @param lagRecords see {@code rollout/lag_records}
 * @param lagSeconds see {@code rollout/lag_seconds}; null if it is not known
 * @param lagWindows the learner's own figure; null if it gave none
 * @param tasks its groups by task; empty when records of it could not be had
 * @param stages how long its groups were on their way; stages whose ends are not known are left out
 */
public record WindowFigures(
    long step,
    long committedAt,
    SortedMap<Long, Long> staleness,
    long lagRecords,
    @Nullable Double lagSeconds,
    @Nullable Integer lagWindows,
    SortedMap<String, TaskFigures> tasks,
    Map<Stage, LatencyFigures> stages) {

  public WindowFigures {
    staleness = new TreeMap<>(staleness);
    tasks = new TreeMap<>(tasks);
    stages = stages.isEmpty() ? Map.of() : new EnumMap<>(stages);
  }
}
