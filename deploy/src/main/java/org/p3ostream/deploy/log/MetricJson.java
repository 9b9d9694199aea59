package org.p3ostream.deploy.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.p3ostream.schemas.avro.MetricPoint;

/**
 * Metric points for scripts: every field of the record, one JSON object per line, written at once.
 */
final class MetricJson implements RecordSink<MetricPoint> {

  private final PrintWriter out;

  MetricJson(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, MetricPoint point) {
    ObjectNode line = JsonLines.tree(point);
    out.println(JsonLines.line(line));
  }
}
