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
import org.p3ostream.streams.metric.MetricLabels;

/** The values of a metric with labels, one gauge for each that its {@link MetricLabels} keep. */
final class LabelledGauges {
  private record Held(double value, long eventTime) {}

  private final MetricLabels kept;
  private final Map<Map<String, String>, Held> values = new HashMap<>();
  private long step = Long.MIN_VALUE;
  private long newest = Long.MIN_VALUE;
  private boolean changed;
  private @Nullable MultiGauge gauges;

  LabelledGauges(MetricLabels kept) {
    this.kept = kept;
  }

  /** Takes the next point; it is shown by {@link #show()}. */
  synchronized void add(MetricPoint point) {
    if (kept == MetricLabels.OF_NEWEST_STEP && point.getStep() != step) {
      step = point.getStep();
      values.clear();
    }
    newest = Math.max(newest, point.getEventTime());
    values.put(Map.copyOf(point.getLabels()), new Held(point.getValue(), point.getEventTime()));
    changed = true;
  }

  synchronized void bindTo(MeterRegistry registry, Metric metric) {
    gauges =
        MultiGauge.builder(metric.meterName())
            .description(metric.formula())
            .baseUnit(metric.unit().equals("1") ? null : metric.unit())
            .register(registry);
    changed = true;
    show();
  }

  /** Registers what was taken, and no longer what has gone. */
  synchronized void show() {
    if (gauges == null || !changed) {
      return;
    }
    if (kept == MetricLabels.RECENT) {
      values.values().removeIf(held -> held.eventTime() < newest - MetricLabels.RECENT_MS);
    }
    gauges.register(
        values.entrySet().stream()
            .<MultiGauge.Row<?>>map(
                value -> MultiGauge.Row.of(tags(value.getKey()), value.getValue().value()))
            .toList(),
        true);
    changed = false;
  }

  private static Tags tags(Map<String, String> labels) {
    return Tags.of(
        new TreeMap<>(labels)
            .entrySet().stream().map(label -> Tag.of(label.getKey(), label.getValue())).toList());
  }
}
