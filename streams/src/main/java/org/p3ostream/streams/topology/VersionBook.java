package org.p3ostream.streams.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.VersionFigures;

/** Ratio statistics of each policy version. */
final class VersionBook {
  /** Versions kept. */
  static final int VERSIONS_KEPT = 1_000;

  private final KeyValueStore<Long, VersionFigures> store;

  VersionBook(KeyValueStore<Long, VersionFigures> store) {
    this.store = store;
  }

  /** Merges the statistics of an event into those of the steps before. */
  void settled(LedgerFact event, PointSink sink) {
    for (VersionFigures more : event.ratios()) {
      if (more.tokenCount() == 0) {
        continue;
      }
      VersionFigures before = store.get(more.policyVersion());
      VersionFigures now = before == null ? more : before.plus(more);
      store.put(now.policyVersion(), now);
      sink.emit(
          Metric.VERSION_NORMALIZED_ESS,
          now.statistics().normalizedEss(),
          Map.of(Metric.VERSION_LABEL, Long.toString(now.policyVersion())));
    }
    forget(event.policyVersionBefore() - VERSIONS_KEPT);
  }

  private void forget(long oldest) {
    if (oldest < 0) {
      return;
    }
    List<Long> gone = new ArrayList<>();
    try (KeyValueIterator<Long, VersionFigures> some = store.range(0L, oldest)) {
      some.forEachRemaining(entry -> gone.add(entry.key));
    }
    gone.forEach(store::delete);
  }
}
