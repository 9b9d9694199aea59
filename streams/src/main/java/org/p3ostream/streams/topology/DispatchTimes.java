package org.p3ostream.streams.topology;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * When the prompts of a group were sent.
 *
 * @param step window that the ledger stood at when the newest was
 * @param at event time of the first dispatch of each attempt, milliseconds since the epoch
 */
record DispatchTimes(long step, SortedMap<Integer, Long> at) {
  DispatchTimes {
    at = new TreeMap<>(at);
  }

  /** With a further dispatch. */
  static DispatchTimes with(
      @Nullable DispatchTimes before, LedgerFact event, LedgerFact.Dispatched group) {
    SortedMap<Integer, Long> at = before == null ? new TreeMap<>() : new TreeMap<>(before.at);
    at.putIfAbsent(group.attempt(), event.eventTime());
    return new DispatchTimes(event.step(), at);
  }
}
