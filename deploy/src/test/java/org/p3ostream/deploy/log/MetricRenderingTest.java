package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.serde.Decoded;

class MetricRenderingTest {

  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @ParameterizedTest
  @CsvSource({
    "*, train/loss, true",
    "train/*, train/p3o/ess, true",
    "train/*, rollout/reward_mean, false",
    "train/staleness_p??, train/staleness_p95, true",
    "train/staleness_p?, train/staleness_p95, false",
    "train/los, train/loss, false",
    "train.loss, train/loss, false",
    "\\Q*, train/loss, false",
    "(a)[+]*, (a)[+]b, true"
  })
  void globMatchesTheWholeName(String glob, String name, boolean matches) {
    MetricQuery query = new MetricQuery(new StepRange(null, null), List.of("nothing", glob));
    assertThat(query.test().test(point(name, 1, 0.5, Map.of()))).isEqualTo(matches);
  }

  @Test
  void stepsAreChosenWhateverTheName() {
    MetricQuery query = new MetricQuery(new StepRange(5L, null), List.of());
    assertThat(query.test().test(point("train/loss", 4, 0, Map.of()))).isFalse();
    assertThat(query.test().test(point("train/loss", 5, 0, Map.of()))).isTrue();
  }

  @Test
  void textHasNameLabelsValueAndUnitAndNothingThatMovesTheCursor() {
    MetricText text = new MetricText(out);
    show(text, point("train/staleness_tokens", 12, 576, Map.of("staleness", "1", "a", "b")));
    show(
        text,
        MetricPoint.newBuilder(point("train/loss\u001B[2J", 3, -0.123456789, Map.of()))
            .setUnit("1")
            .build());
    show(text, MetricPoint.newBuilder(point("x", 3, Double.NaN, Map.of())).setUnit("1").build());
    out.flush();
    assertThat(written.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
        .containsExactly(
            "12 train/staleness_tokens{a=b,staleness=1} 576 tokens",
            "3 train/loss\\u001b[2J -0.123457",
            "3 x NaN");
  }

  @Test
  void jsonHasEveryFieldOnOneLine() throws Exception {
    show(new MetricJson(out), point("train/é", 3, 0.25, Map.of("staleness", "1")));
    out.flush();
    assertThat(written.toString().stripTrailing()).matches("\\p{ASCII}*").doesNotContain("\n");
    JsonNode line = new ObjectMapper().readTree(written.toString());
    for (var field : MetricPoint.getClassSchema().getFields()) {
      assertThat(line.has(field.name())).as(field.name()).isTrue();
    }
    assertThat(line.get("name").asText()).isEqualTo("train/é");
    assertThat(line.get("value").asDouble()).isEqualTo(0.25);
    assertThat(line.at("/labels/staleness").asText()).isEqualTo("1");
  }

  private static void show(RecordSink<MetricPoint> sink, MetricPoint point) {
    sink.show(new LogEntry("p3o.metrics", 0, 1, 5, new Decoded.Accepted(point)), point);
  }

  private static MetricPoint point(
      String name, long step, double value, Map<String, String> labels) {
    return new MetricPoint("run", name, step, value, "tokens", labels, 5L);
  }
}
