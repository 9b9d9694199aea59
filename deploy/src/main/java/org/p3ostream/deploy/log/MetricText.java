package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.p3ostream.schemas.avro.MetricPoint;

/** Metric points for people: step, name, labels if it has any, value and unit, a line each. */
final class MetricText implements RecordSink<MetricPoint> {

  private static final String DIMENSIONLESS = "1";

  private final PrintWriter out;

  MetricText(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, MetricPoint point) {
    String line =
        String.format(
            Locale.ROOT,
            "%6d  %-44s %14s %s",
            point.getStep(),
            TerminalText.inline(point.getName() + labels(point.getLabels())),
            number(point.getValue()),
            point.getUnit().equals(DIMENSIONLESS) ? "" : TerminalText.inline(point.getUnit()));
    out.println(line.stripTrailing());
  }

  private static String labels(Map<String, String> labels) {
    return labels.isEmpty()
        ? ""
        : new TreeMap<>(labels)
            .entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(",", "{", "}"));
  }

  /** Six digits that matter; whole numbers as they are. */
  static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.format(Locale.ROOT, "%d", (long) value)
        : String.format(Locale.ROOT, "%.6g", value);
  }
}
