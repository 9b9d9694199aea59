package org.p3ostream.streams.metric;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * The metric points that a ledger event holds by itself: the learner's report, one point each, and
 * how stale the tokens are that it trained. Only STEP has any: a NO_OP trains nothing, the other
 * kinds have no window.
 */
public final class StepMetricPoints {

  private StepMetricPoints() {}

  /** Points of {@code event}; empty unless it is a STEP. */
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
    points.add(point(Metric.ACTOR_OPTIMIZER_STEP, event, (double) event.getPolicyVersionBefore()));
    Staleness staleness = Staleness.of(event);
    if (!staleness.isEmpty()) {
      addStaleness(points, event, staleness);
    }
    return points;
  }

  private static void addStaleness(List<MetricPoint> points, StepEvent event, Staleness staleness) {
    points.add(point(Metric.STALENESS_MIN, event, (double) staleness.min()));
    points.add(point(Metric.STALENESS_MEAN, event, staleness.mean()));
    points.add(point(Metric.STALENESS_P50, event, (double) staleness.percentile(50)));
    points.add(point(Metric.STALENESS_P95, event, (double) staleness.percentile(95)));
    points.add(point(Metric.STALENESS_MAX, event, (double) staleness.max()));
    points.add(point(Metric.ROLLOUT_POLICY_LAG_STEPS, event, staleness.mean()));
    points.add(
        point(
            Metric.ROLLOUT_POLICY_SNAPSHOT_STEP,
            event,
            event.getPolicyVersionBefore() - staleness.mean()));
    staleness
        .tokens()
        .forEach(
            (versions, tokens) ->
                points.add(
                    Metric.STALENESS_TOKENS.point(
                        event.getRunId(),
                        event.getStep(),
                        (double) tokens,
                        event.getCommittedAt(),
                        Map.of(Metric.STALENESS_LABEL, Long.toString(versions)))));
  }

  private static MetricPoint point(Metric metric, StepEvent event, double value) {
    return metric.point(event.getRunId(), event.getStep(), value, event.getCommittedAt());
  }
}
