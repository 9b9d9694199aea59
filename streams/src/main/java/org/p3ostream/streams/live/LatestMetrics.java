package org.p3ostream.streams.live;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.metric.MetricLabels;

/**
 * The latest value of every {@link Metric}, as a gauge each; NaN until one is known. Points of one
 * metric share a partition, so the last one read is the latest one written; one of an older step,
 * as a second pass over the log writes it, is passed over. A metric with labels has a gauge for
 * each of those that its {@link MetricLabels} keep.
 */
public final class LatestMetrics {
  private final String runId;
  private final Map<Metric, Double> values = new ConcurrentHashMap<>();
  private final Map<Metric, Long> steps = new EnumMap<>(Metric.class); // of the values
  private final Map<Metric, LabelledGauges> labelled = new EnumMap<>(Metric.class);

  public LatestMetrics(String runId) {
    this.runId = runId;
    for (Metric metric : Metric.values()) {
      if (metric.labels() != MetricLabels.NONE) {
        labelled.put(metric, new LabelledGauges(metric.labels()));
      }
    }
  }

  /** Takes the next point; one of another run or of an unknown metric is passed over. */
  void add(MetricPoint point) {
    if (point.getRunId().equals(runId)) {
      Metric.named(point.getName()).ifPresent(metric -> add(metric, point));
    }
  }

  private void add(Metric metric, MetricPoint point) {
    LabelledGauges gauges = labelled.get(metric);
    if (gauges == null) {
      Long before =
          steps.put(metric, Math.max(point.getStep(), steps.getOrDefault(metric, Metric.NO_STEP)));
      if (before == null || point.getStep() >= before) {
        values.put(metric, point.getValue());
      }
    } else if (metric.labels() != MetricLabels.TOPIC_ONLY) {
      gauges.add(point);
    }
  }

  /** Lets the gauges of metrics with labels follow what was added. */
  void show() {
    labelled.values().forEach(LabelledGauges::show);
  }

  /** Latest value; NaN if none is known. */
  public double value(Metric metric) {
    return values.getOrDefault(metric, Double.NaN);
  }

  public void bindTo(MeterRegistry registry) {
    for (Metric metric : Metric.values()) {
      LabelledGauges gauges = labelled.get(metric);
      if (metric.labels() == MetricLabels.TOPIC_ONLY) {
        continue;
      }
      if (gauges != null) {
        gauges.bindTo(registry, metric);
        continue;
      }
      Gauge.Builder<?> gauge =
          Gauge.builder(metric.meterName(), () -> value(metric)).description(metric.formula());
      (metric.unit().equals("1") ? gauge : gauge.baseUnit(metric.unit())).register(registry);
    }
  }
}
