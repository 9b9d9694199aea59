package org.p3ostream.streams.metric;

import java.util.Arrays;

/**
 * Staleness of a set of groups.
 *
 * <pre>
 *   s_g  = version being trained − oldest version that sampled a token of group g   [policy versions]
 *   mean = Σ s_g / n
 *   p95  = s sorted ascending, element ⌈0.95 n⌉ counted from 1 (nearest rank: always an observed value)
 * </pre>
 *
 * One value per group, groups weigh alike: this is the view of the log, independent of the
 * learner's own report, which weighs by token. Negative values are possible and mean a fault: a
 * group from the future.
 *
 * @param min smallest
 * @param mean arithmetic mean
 * @param p95 nearest-rank 95th percentile
 * @param max largest
 */
record Staleness(long min, double mean, long p95, long max) {

  /** Of at least one group; {@code perGroup} is [n], policy versions, not changed. */
  static Staleness of(long[] perGroup) {
    if (perGroup.length == 0) {
      throw new IllegalArgumentException("staleness of no group");
    }
    long[] sorted = perGroup.clone();
    Arrays.sort(sorted);
    double mean = Arrays.stream(sorted).average().orElseThrow();
    int rank = (95 * sorted.length + 99) / 100;
    return new Staleness(sorted[0], mean, sorted[rank - 1], sorted[sorted.length - 1]);
  }
}
