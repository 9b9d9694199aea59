package org.p3ostream.deploy.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.p3ostream.schemas.avro.StepEvent;

/** Events of the ledger for scripts: every field of the record, one JSON object per line. */
final class StepJson implements StepSink {

  private final PrintWriter out;

  StepJson(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, StepEvent event) {
    ObjectNode line = JsonLines.coordinate(entry);
    line.setAll(JsonLines.tree(event));
    out.println(JsonLines.line(line));
    out.flush();
  }
}
