package org.p3ostream.learner.runtime;

import java.util.stream.Collectors;
import org.p3ostream.learner.ledger.AuditTotals;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.StepMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says so when recorded behaviour log-probs are not what their snapshot gives. */
final class LogprobAudit {
  private static final Logger LOG = LoggerFactory.getLogger(LogprobAudit.class);

  private final AuditTotals totals = new AuditTotals(); // of the steps trained since the start

  /** Takes the audit of a step and warns about every producer that is beyond a bound. */
  void take(long step, StepMetrics metrics) {
    totals.add(metrics.getBehaviorLogprobGaps());
    for (BehaviorLogprobGap gap : metrics.getBehaviorLogprobGaps()) {
      if (AuditTotals.isBeyond(gap)) {
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
            AuditTotals.MEAN_BOUND,
            AuditTotals.P99_BOUND);
      }
    }
  }

  /** Says what all of it came to, if there was an audit. */
  void conclude() {
    if (!totals.byProducer().isEmpty()) {
      LOG.info(
          "behaviour log-probs audited since the start, nats: {}",
          totals.byProducer().stream().map(LogprobAudit::text).collect(Collectors.joining("; ")));
    }
  }

  private static String text(AuditTotals.Producer producer) {
    return "%s mean %s, max %s over %d tokens, beyond the bounds in %d steps"
        .formatted(
            producer.producerId(),
            producer.mean(),
            producer.max(),
            producer.tokens(),
            producer.stepsBeyond());
  }
}
