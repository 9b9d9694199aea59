package org.p3ostream.streams.topology;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Ledger events that were read and not settled, in the order of the ledger. Beside the store it
 * holds their offsets, and the first event with what it waits for, so that a rollout that arrives
 * costs a few comparisons however many wait.
 */
final class WaitingEvents {
  private final KeyValueStore<Long, LedgerFact> store;
  private final Deque<Long> offsets = new ArrayDeque<>();
  private final Map<Integer, Long> neededOffsets = new TreeMap<>();
  private @Nullable LedgerFact first;
  private boolean firstLiesElsewhere;

  WaitingEvents(KeyValueStore<Long, LedgerFact> store) {
    this.store = store;
    try (KeyValueIterator<Long, LedgerFact> all = store.all()) {
      all.forEachRemaining(event -> offsets.add(event.key));
    }
    advance();
  }

  /** Takes the next event of the ledger. */
  void add(LedgerFact event) {
    store.put(event.ledgerOffset(), event);
    offsets.add(event.ledgerOffset());
    if (first == null) {
      advance();
    }
  }

  /** The first event; null if none waits. */
  @Nullable LedgerFact first() {
    return first;
  }

  /**
   * Newest offset that the first event needs, by partition; what lies elsewhere is not waited for.
   */
  Map<Integer, Long> neededOffsets() {
    return neededOffsets;
  }

  /** Whether {@link #first()} is of a window whose records lie in another topic. */
  boolean firstLiesElsewhere() {
    return firstLiesElsewhere;
  }

  int size() {
    return offsets.size();
  }

  /** The first event is settled. */
  void remove() {
    store.delete(offsets.remove());
    advance();
  }

  private void advance() {
    neededOffsets.clear();
    Long offset = offsets.peek();
    first = offset == null ? null : store.get(offset);
    firstLiesElsewhere = first != null && first.liesElsewhere();
    if (first != null && !firstLiesElsewhere) {
      first.trained().forEach(group -> need(group.at()));
      first.skipped().forEach(this::need);
    }
  }

  private void need(Coordinate at) {
    neededOffsets.merge(at.partition(), at.recordOffset(), Math::max);
  }
}
