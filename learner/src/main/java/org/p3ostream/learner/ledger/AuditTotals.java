package org.p3ostream.learner.ledger;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;

/**
 * The audits of recorded behaviour log-probs of many steps, added up by producer. Between decoding
 * with a cache and one pass over the whole response float32 rounds differently by some 1e-6 nats;
 * the bounds lie far above that and far below what another temperature, precision or model gives.
 */
public final class AuditTotals {

  /** Mean gap of a step beyond which a producer is named, nats. */
  public static final double MEAN_BOUND = 1e-3;

  /** 99th percentile of a step beyond which a producer is named, nats. */
  public static final double P99_BOUND = 1e-2;

  /** Producers that are told apart; later ones are added up under one name. */
  static final int MOST_PRODUCERS = 1000;

  private static final String LATER_ONES = "(later ones)";

  private final Map<String, Producer> producers = new TreeMap<>(); // by producer id

  /**
   * What the audits of a producer came to.
   *
   * @param tokens valid tokens compared
   * @param mean mean gap over them, nats
   * @param p99 largest 99th percentile of a step, nats: percentiles do not add up
   * @param max largest gap, nats
   * @param stepsBeyond steps in which the producer was beyond a bound
   */
  public record Producer(
      String producerId, long tokens, double mean, double p99, double max, long stepsBeyond) {

    private static Producer of(BehaviorLogprobGap gap) {
      return new Producer(
          gap.getProducerId(),
          gap.getTokens(),
          gap.getMean(),
          gap.getP99(),
          gap.getMax(),
          isBeyond(gap) ? 1 : 0);
    }

    private Producer named(String name) {
      return new Producer(name, tokens, mean, p99, max, stepsBeyond);
    }

    private Producer plus(Producer other) {
      long sum = tokens + other.tokens;
      return new Producer(
          producerId,
          sum,
          (mean * tokens + other.mean * other.tokens) / sum,
          Math.max(p99, other.p99),
          Math.max(max, other.max),
          stepsBeyond + other.stepsBeyond);
    }
  }

  /** Adds the audit of a step, a gap for every producer; empty if there was none. */
  public void add(List<BehaviorLogprobGap> audit) {
    for (BehaviorLogprobGap gap : audit) {
      Producer producer = Producer.of(gap);
      if (producers.size() >= MOST_PRODUCERS && !producers.containsKey(producer.producerId())) {
        producer = producer.named(LATER_ONES);
      }
      producers.merge(producer.producerId(), producer, Producer::plus);
    }
  }

  /** Totals of every producer, by producer id; empty without an audit. */
  public List<Producer> byProducer() {
    return List.copyOf(producers.values());
  }

  /** Whether a producer must be named for its audit of a step. */
  public static boolean isBeyond(BehaviorLogprobGap gap) {
    return !(gap.getMean() <= MEAN_BOUND && gap.getP99() <= P99_BOUND);
  }
}
