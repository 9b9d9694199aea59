package org.p3ostream.streams.live;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.metric.Metric;

/**
 * The latest value of every {@link Metric}, as a gauge each; NaN until one is known. Points of one
 * metric share a partition, so the last one read is the latest one written.
 */
public final class LatestMetrics {
  private final String runId;
  private final Map<Metric, Double> values = new ConcurrentHashMap<>();

  public LatestMetrics(String runId) {
    this.runId = runId;
  }

  /** Takes the next point; one of another run or of an unknown metric is passed over. */
  void add(MetricPoint point) {
    if (point.getRunId().equals(runId)) {
      Metric.named(point.getName()).ifPresent(metric -> values.put(metric, point.getValue()));
    }
  }

  /** Latest value; NaN if none is known. */
  public double value(Metric metric) {
    return values.getOrDefault(metric, Double.NaN);
  }

  public void bindTo(MeterRegistry registry) {
    for (Metric metric : Metric.values()) {
      Gauge.Builder<?> gauge =
          Gauge.builder(metric.meterName(), () -> value(metric)).description(metric.formula());
      (metric.unit().equals("1") ? gauge : gauge.baseUnit(metric.unit())).register(registry);
    }
  }
}
