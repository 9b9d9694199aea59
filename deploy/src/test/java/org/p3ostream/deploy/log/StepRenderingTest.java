package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.progress.LedgerFixtures;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.serde.Decoded;

class StepRenderingTest {

  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @Test
  void tableHasALinePerEventUnderOneHeadThatNamesTheAlgorithm() {
    StepTable table = new StepTable(out);
    show(table, LedgerFixtures.genesis(1));
    show(table, LedgerFixtures.step(0, 1, 2, 0.25, 0.9, 1, 80));
    show(table, LedgerFixtures.noOp(1, 1, 3));
    assertThat(written.toString().lines())
        .hasSize(5)
        .startsWith("algorithm p3o/step/proxy")
        .anyMatch(line -> line.matches(" +step +kind +version +reward +ESS +cap +KL .*"))
        .anyMatch(line -> line.matches(" +-1 +GENESIS +0"))
        .anyMatch(line -> line.matches(" +0 +STEP +1 +0\\.250 +0\\.900 +.* 1\\.00 +80"))
        .anyMatch(line -> line.matches(" +1 +NO_OP +1"));
  }

  @Test
  void tableShowsTheKlThatTheLossUsed() {
    StepTable table = new StepTable(out);
    show(table, withKl(0, "p3o/step/proxy", null));
    show(table, withKl(1, "p3o/step/exact", 0.0345));
    assertThat(written.toString().lines())
        .hasSize(6)
        .anyMatch(line -> line.matches(" +0 +STEP .* 0\\.900 +1\\.20e-02 +1\\.00 +80"))
        .anyMatch(line -> line.matches(" +1 +STEP .* 0\\.900 +3\\.45e-02 +1\\.00 +80"))
        .contains("algorithm p3o/step/proxy", "algorithm p3o/step/exact");
  }

  @Test
  void jsonHoldsEveryFieldOnOneLine() throws Exception {
    show(new RecordJson<>(out), LedgerFixtures.step(0, 1, 2, 0.25, 0.9, 1, 80));
    assertThat(written.toString().lines()).hasSize(1);
    JsonNode line = new ObjectMapper().readTree(written.toString());
    for (var field : StepEvent.getClassSchema().getFields()) {
      assertThat(line.has(field.name())).as(field.name()).isTrue();
    }
    assertThat(line.at("/metrics/rewardMean").asDouble()).isEqualTo(0.25);
    assertThat(line.get("offset").asLong()).isEqualTo(4);
  }

  private static StepEvent withKl(long step, String algorithm, @Nullable Double exact) {
    StepEvent event = LedgerFixtures.step(step, step + 1, 2, 0.25, 0.9, 1, 80);
    return StepEvent.newBuilder(event)
        .setAlgorithm(algorithm)
        .setMetrics(
            StepMetrics.newBuilder(event.getMetrics())
                .setBehaviorKlProxyMean(0.012)
                .setBehaviorKlExactMean(exact)
                .build())
        .build();
  }

  private static void show(RecordSink<StepEvent> sink, StepEvent event) {
    sink.show(new LogEntry("p3o.steps", 0, 4, 1, new Decoded.Accepted(event)), event);
  }
}
