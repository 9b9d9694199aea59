package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.progress.LedgerFixtures;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;

class StepRenderingTest {

  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @Test
  void tableHasALinePerEventUnderOneHead() {
    StepTable table = new StepTable(out);
    show(table, LedgerFixtures.genesis(1));
    show(table, LedgerFixtures.step(0, 1, 2, 0.25, 0.9, 1, 80));
    show(table, LedgerFixtures.noOp(1, 1, 3));
    assertThat(written.toString().lines())
        .hasSize(4)
        .anyMatch(line -> line.matches(" +step +kind +version +reward +ESS +cap .*"))
        .anyMatch(line -> line.matches(" +-1 +GENESIS +0"))
        .anyMatch(line -> line.matches(" +0 +STEP +1 +0\\.250 +0\\.900 +.* 1\\.00 +80"))
        .anyMatch(line -> line.matches(" +1 +NO_OP +1"));
  }

  @Test
  void jsonHoldsEveryFieldOnOneLine() throws Exception {
    show(new StepJson(out), LedgerFixtures.step(0, 1, 2, 0.25, 0.9, 1, 80));
    assertThat(written.toString().lines()).hasSize(1);
    JsonNode line = new ObjectMapper().readTree(written.toString());
    for (var field : StepEvent.getClassSchema().getFields()) {
      assertThat(line.has(field.name())).as(field.name()).isTrue();
    }
    assertThat(line.at("/metrics/rewardMean").asDouble()).isEqualTo(0.25);
    assertThat(line.get("offset").asLong()).isEqualTo(4);
  }

  private static void show(StepSink sink, StepEvent event) {
    sink.show(new LogEntry("p3o.steps", 0, 4, 1, new Decoded.Accepted(event)), event);
  }
}
