package org.p3ostream.learner.forward;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;

/**
 * How far recorded behaviour log-probs lie from recomputed ones, by producer.
 *
 * <pre>
 *   gap_t = |log π_b(y_t) recorded − recomputed|   [nats],  mean = Σ gap / n,  max
 *   p99   = gap sorted ascending, element ⌈0.99 n⌉ counted from 1 (nearest rank: always an observed value)
 * </pre>
 *
 * A gap that is not a number counts as infinite. Beyond {@link #MOST_PRODUCERS} producers, those
 * with the fewest tokens are taken together as {@link #OTHERS}: how many there are is not ours to
 * decide, and a step event has a bound.
 */
public final class BehaviorAudit {

  /** Producers that are named in one step. */
  static final int MOST_PRODUCERS = 64;

  /** Stands for those that are not named. */
  public static final String OTHERS = "(others)";

  private final Map<String, List<Double>> gaps = new TreeMap<>(); // by producer id

  /** Adds one token: its log-prob as recorded and as recomputed, nats. */
  public void add(String producerId, double recorded, double recomputed) {
    double gap = Math.abs(recorded - recomputed);
    gaps.computeIfAbsent(producerId, id -> new ArrayList<>())
        .add(Double.isNaN(gap) ? Double.POSITIVE_INFINITY : gap);
  }

  /** Figures of every producer, by producer id. */
  public List<BehaviorLogprobGap> byProducer() {
    return named().entrySet().stream().map(of -> figures(of.getKey(), of.getValue())).toList();
  }

  private Map<String, List<Double>> named() {
    if (gaps.size() <= MOST_PRODUCERS) {
      return gaps;
    }
    Map<String, List<Double>> named = new TreeMap<>();
    gaps.entrySet().stream()
        .sorted(Comparator.comparingInt(of -> -of.getValue().size())) // stable: then by id
        .forEach(
            of ->
                named
                    .computeIfAbsent(
                        named.size() < MOST_PRODUCERS ? of.getKey() : OTHERS,
                        id -> new ArrayList<>())
                    .addAll(of.getValue()));
    return named;
  }

  private static BehaviorLogprobGap figures(String producerId, List<Double> gaps) {
    double[] sorted = gaps.stream().mapToDouble(Double::doubleValue).sorted().toArray(); // [n]
    int p99 = (99 * sorted.length + 99) / 100 - 1;
    return BehaviorLogprobGap.newBuilder()
        .setProducerId(producerId)
        .setTokens(sorted.length)
        .setMean(Arrays.stream(sorted).average().orElseThrow())
        .setP99(sorted[p99])
        .setMax(sorted[sorted.length - 1])
        .build();
  }
}
