package org.p3ostream.streams.metric;

import java.util.ArrayList;
import java.util.List;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * The metric points that a ledger event holds by itself: the learner's report, one point each, and
 * the staleness of the groups it trained. Only STEP has any: a NO_OP trains nothing, the other
 * kinds have no window.
 */
public final class StepMetricPoints {

  private StepMetricPoints() {}

  /** Points of {@code event}, in the order of {@link Metric}; empty unless it is a STEP. */
  public static List<MetricPoint> of(StepEvent event) {
    List<MetricPoint> points = new ArrayList<>();
    if (event.getKind() != StepKind.STEP) {
      return points;
    }
    if (event.getMetrics() != null) {
      for (Metric metric : Metric.values()) {
        metric.read(event.getMetrics()).ifPresent(value -> points.add(point(metric, event, value)));
      }
    }
    if (!event.getWindow().isEmpty()) {
      Staleness staleness = Staleness.of(stalenessPerGroup(event));
      points.add(point(Metric.STALENESS_MIN, event, (double) staleness.min()));
      points.add(point(Metric.STALENESS_MEAN, event, staleness.mean()));
      points.add(point(Metric.STALENESS_P95, event, (double) staleness.p95()));
      points.add(point(Metric.STALENESS_MAX, event, (double) staleness.max()));
    }
    return points;
  }

  private static long[] stalenessPerGroup(StepEvent event) { // [groups of the window]
    return event.getWindow().stream()
        .mapToLong((WindowEntry group) -> event.getPolicyVersionBefore() - group.getPolicyVersion())
        .toArray();
  }

  private static MetricPoint point(Metric metric, StepEvent event, double value) {
    return metric.point(event.getRunId(), event.getStep(), value, event.getCommittedAt());
  }
}
