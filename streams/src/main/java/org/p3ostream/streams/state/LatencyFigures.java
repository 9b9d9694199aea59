package org.p3ostream.streams.state;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A distribution of durations that can be merged: a histogram of buckets that are 5 % wide.
 *
 * <pre>
 *   bucket of x = ⌈ln(x / 1 ms) / ln γ⌉, at least 0;  γ = 1.05
 *   p_q         = 2 γ^i / (γ + 1) ms, i the bucket of rank ⌈q N / 100⌉ counted from 1; at most the maximum
 * </pre>
 *
 * Source: Masson, Rim, Lee 2019, DDSketch, arXiv:1908.10693, section 2. A percentile is off by at
 * most 2.5 %; count, mean and maximum are exact. The buckets between 1 ms and a year are 496, which
 * bounds the histogram. Durations below zero, which clocks that differ produce, count as 0.
 *
 * @param count N
 * @param sumSeconds sum of the durations, seconds
 * @param maxSeconds largest, seconds; 0 for none
 * @param buckets durations by bucket
 */
public record LatencyFigures(
    long count, double sumSeconds, double maxSeconds, SortedMap<Integer, Long> buckets) {
  private static final double GAMMA = 1.05;

  /** Of no duration. */
  public static final LatencyFigures NONE = new LatencyFigures(0, 0, 0, new TreeMap<>());

  public LatencyFigures {
    buckets = new TreeMap<>(buckets);
  }

  /** Of one duration, milliseconds. */
  public static LatencyFigures of(long millis) {
    double seconds = Math.max(0, millis) / 1000.0;
    return new LatencyFigures(
        1, seconds, seconds, new TreeMap<>(java.util.Map.of(bucket(millis), 1L)));
  }

  private static int bucket(long millis) {
    return millis <= 1 ? 0 : (int) Math.ceil(Math.log((double) millis) / Math.log(GAMMA));
  }

  /** Of both. */
  public LatencyFigures plus(LatencyFigures other) {
    SortedMap<Integer, Long> both = new TreeMap<>(buckets);
    other.buckets.forEach((bucket, durations) -> both.merge(bucket, durations, Long::sum));
    return new LatencyFigures(
        count + other.count,
        sumSeconds + other.sumSeconds,
        Math.max(maxSeconds, other.maxSeconds),
        both);
  }

  /** Seconds; NaN for no duration. */
  public double mean() {
    return count == 0 ? Double.NaN : sumSeconds / count;
  }

  /**
   * Seconds; NaN for no duration.
   *
   * @param percent q, in [1, 100]
   */
  public double percentile(int percent) {
    long rank = (percent * count + 99) / 100;
    for (var bucket : buckets.entrySet()) {
      rank -= bucket.getValue();
      if (rank <= 0) {
        double middle = 2 * Math.pow(GAMMA, bucket.getKey()) / (GAMMA + 1) / 1000;
        return Math.min(middle, maxSeconds);
      }
    }
    return Double.NaN;
  }
}
