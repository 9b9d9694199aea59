package org.p3ostream.streams.live;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.metric.Metric;

/** The values of a metric with labels, of the newest step that has any: one gauge for each. */
final class LabelledGauges {
  private final Map<Map<String, String>, Double> values = new HashMap<>();
  private long step = Long.MIN_VALUE;
  private @Nullable MultiGauge gauges;

  /** Takes the next point; values of an earlier step end with the first one of the next. */
  synchronized void add(MetricPoint point) {
    if (point.getStep() != step) {
      step = point.getStep();
      values.clear();
    }
    values.put(Map.copyOf(point.getLabels()), point.getValue());
    show();
  }

  synchronized void bindTo(MeterRegistry registry, Metric metric) {
    gauges =
        MultiGauge.builder(metric.meterName())
            .description(metric.formula())
            .baseUnit(metric.unit())
            .register(registry);
    show();
  }

  private void show() {
    if (gauges != null) {
      gauges.register(
          values.entrySet().stream()
              .<MultiGauge.Row<?>>map(
                  value -> MultiGauge.Row.of(tags(value.getKey()), value.getValue()))
              .toList(),
          true);
    }
  }

  private static Tags tags(Map<String, String> labels) {
    return Tags.of(
        new TreeMap<>(labels)
            .entrySet().stream().map(label -> Tag.of(label.getKey(), label.getValue())).toList());
  }
}
