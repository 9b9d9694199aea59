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
  /** Stays the same object as long as its gauge is registered: a scrape sees every change of it. */
  private static final class Held {
    private volatile double value;
    private long step;
    private long eventTime;

    private double value() {
      return value;
    }
  }

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
    step = point.getStep();
    newest = Math.max(newest, point.getEventTime());
    Held held = values.computeIfAbsent(Map.copyOf(point.getLabels()), labels -> new Held());
    held.value = point.getValue();
    held.step = step;
    held.eventTime = point.getEventTime();
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

  /** Registers what is new and no longer what has gone; what stays is never gone in between. */
  synchronized void show() {
    if (gauges == null || !changed) {
      return;
    }
    if (kept == MetricLabels.RECENT) {
      values.values().removeIf(held -> held.eventTime < newest - MetricLabels.RECENT_MS);
    } else if (kept == MetricLabels.OF_NEWEST_STEP) {
      values.values().removeIf(held -> held.step != step);
    }
    gauges.register(
        values.entrySet().stream()
            .<MultiGauge.Row<?>>map(
                value -> MultiGauge.Row.of(tags(value.getKey()), value.getValue(), Held::value))
            .toList(),
        false);
    changed = false;
  }

  private static Tags tags(Map<String, String> labels) {
    return Tags.of(
        new TreeMap<>(labels)
            .entrySet().stream().map(label -> Tag.of(label.getKey(), label.getValue())).toList());
  }
}
