package org.p3ostream.learner.runtime;

import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.StepMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says so when recorded behaviour log-probs are not what their snapshot gives. Between decoding
 * with a cache and one pass over the whole response float32 rounds differently by some 1e-6 nats;
 * the bounds lie far above that and far below what another temperature, precision or model gives.
 */
final class LogprobAudit {
  private static final Logger LOG = LoggerFactory.getLogger(LogprobAudit.class);

  /** Mean gap beyond which a producer is named, nats. */
  static final double MEAN_BOUND = 1e-3;

  /** 99th percentile beyond which a producer is named, nats. */
  static final double P99_BOUND = 1e-2;

  private LogprobAudit() {}

  /** Warns about every producer of a step that is beyond a bound. */
  static void warn(long step, StepMetrics metrics) {
    for (BehaviorLogprobGap gap : metrics.getBehaviorLogprobGaps()) {
      if (isBeyond(gap)) {
        LOG.warn(
            "step {}: behaviour log-probs recorded by {} are not those of what it sampled from:"
                + " |recorded - recomputed| over {} tokens has mean {}, p99 {}, max {} nats"
                + " (bounds: mean {}, p99 {})",
            step,
            gap.getProducerId(),
            gap.getTokens(),
            gap.getMean(),
            gap.getP99(),
            gap.getMax(),
            MEAN_BOUND,
            P99_BOUND);
      }
    }
  }

  static boolean isBeyond(BehaviorLogprobGap gap) {
    return !(gap.getMean() <= MEAN_BOUND && gap.getP99() <= P99_BOUND);
  }
}
