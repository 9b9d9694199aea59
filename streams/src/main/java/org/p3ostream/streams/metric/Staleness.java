package org.p3ostream.streams.metric;

import java.util.SortedMap;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.VersionRatioStatistics;

/**
 * Staleness of the valid tokens of a window.
 *
 * <pre>
 *   s_n  = version being trained − version that sampled token n, n = 1 … N          [policy versions]
 *   mean = Σ s_n / N
 *   p_q  = s sorted ascending, element ⌈q N / 100⌉ counted from 1 (nearest rank: always an observed value)
 * </pre>
 *
 * Every token weighs alike, also within a response that several versions sampled. Counted from the
 * ratio statistics of the ledger event, which hold the tokens of each version. Negative values are
 * possible and mean a fault: a token from the future.
 *
 * @param tokens valid tokens by their staleness, ascending; none is 0
 */
record Staleness(SortedMap<Long, Long> tokens) {
  Staleness {
    tokens = new TreeMap<>(tokens);
  }

  /** Of the window that an event trained. */
  static Staleness of(StepEvent event) {
    SortedMap<Long, Long> tokens = new TreeMap<>();
    for (VersionRatioStatistics version : event.getRatioStatistics()) {
      if (version.getTokenCount() > 0) {
        tokens.merge(
            event.getPolicyVersionBefore() - version.getPolicyVersion(),
            version.getTokenCount(),
            Long::sum);
      }
    }
    return new Staleness(tokens);
  }

  /** Whether there is no token: then nothing below has a value. */
  boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** N. */
  long count() {
    return tokens.values().stream().mapToLong(count -> count).sum();
  }

  long min() {
    return tokens.firstKey();
  }

  long max() {
    return tokens.lastKey();
  }

  double mean() {
    double sum =
        tokens.entrySet().stream()
            .mapToDouble(entry -> (double) entry.getKey() * entry.getValue())
            .sum();
    return sum / count();
  }

  /**
   * Nearest rank.
   *
   * @param percent q, in [1, 100]
   */
  long percentile(int percent) {
    long rank = (percent * count() + 99) / 100;
    for (var entry : tokens.entrySet()) {
      rank -= entry.getValue();
      if (rank <= 0) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("staleness of no token");
  }
}
