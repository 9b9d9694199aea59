package org.p3ostream.deploy.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.apache.avro.specific.SpecificRecord;

/** Records for scripts: every field and the coordinate, one JSON object per line. */
final class RecordJson<T extends SpecificRecord> implements RecordSink<T> {

  private final PrintWriter out;

  RecordJson(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, T record) {
    ObjectNode line = JsonLines.coordinate(entry);
    line.setAll(JsonLines.tree(record));
    out.println(JsonLines.line(line));
    out.flush();
  }
}
