package org.p3ostream.deploy.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.progress.LedgerFixtures;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.AuditedRecord;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.Problem;
import org.p3ostream.learner.audit.ProblemKind;
import org.p3ostream.learner.audit.VersionOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;

class AuditRenderingTest {

  private static final AuditReport OK = report(Map.of(), List.of());
  private static final AuditReport BROKEN =
      report(
          Map.of(ProblemKind.CHAIN_BREAK, 1L, ProblemKind.LOST, 120L),
          List.of(
              new Problem(ProblemKind.CHAIN_BREAK, "p3o.steps-0@7", "names \u001B[2J"),
              new Problem(ProblemKind.LOST, "p3o.steps-0@9", "window 3 is over")));

  @Test
  void textTellsCountsAndThatAllIsWell() {
    assertThat(text(new AuditAnswer(OK, null, null)))
        .isEqualTo(
            """
            run        demo, topic prefix p3o.
            ledger     152 events, 150 steps, policy version 149, 0 chain breaks
            groups     1,216 dispatched: 1,192 trained, 8 passed, 0 given up, 16 pending; 0 lost, 0 trained twice
            records    1,221 rollouts, of these 5 skipped for a reason and 16 waiting; 1,216 prompts, 5 dead letters; 3 trimmed
            snapshots  150 versions rebuilt, equal to the ledger
            weights    abc
            audit      ok
            """);
  }

  @Test
  void textNamesEveryKeptProblemAndCountsTheOthers() {
    assertThat(text(new AuditAnswer(BROKEN, null, null)))
        .contains("audit      NOT OK, problems: 121\n")
        .contains("  CHAIN_BREAK p3o.steps-0@7: names \\u001b[2J\n")
        .contains("  LOST p3o.steps-0@9: window 3 is over\n  LOST: 119 more\n")
        .contains("120 lost");
  }

  @Test
  void textAnswersWhatWasAskedBesides() {
    GroupHistory unknown = new GroupHistory(99);
    assertThat(text(new AuditAnswer(OK, origin(1), history(4))))
        .contains("version 1 was trained by\n")
        .contains("  group 4 attempt 0 in step 0, partition 2 offset 17, sampled by version 0\n")
        .contains("group 4\n  TRAINED     attempt 0  p3o.steps-0@5: STEP of step 0,");
    assertThat(text(new AuditAnswer(OK, origin(77), unknown)))
        .contains("version 77 was never trained\n")
        .contains("group 99\n  the log does not know it\n");
  }

  @Test
  void jsonHoldsWhatScriptsAskFor() throws Exception {
    JsonNode tree = json(new AuditAnswer(BROKEN, origin(1), history(4)));
    assertThat(tree.get("ok").asBoolean()).isFalse();
    assertThat(tree.get("steps").asLong()).isEqualTo(150);
    assertThat(tree.get("groupsTrained").asLong()).isEqualTo(1192);
    assertThat(tree.get("pending").asLong()).isEqualTo(16);
    assertThat(tree.get("lost").asLong()).isEqualTo(120);
    assertThat(tree.get("duplicates").asLong()).isZero();
    assertThat(tree.get("chainBreaks").asLong()).isEqualTo(1);
    assertThat(tree.get("weightsSha256").asText()).isEqualTo("abc");
    assertThat(tree.at("/problemCounts/LOST").asLong()).isEqualTo(120);
    assertThat(tree.at("/problems/0/kind").asText()).isEqualTo("CHAIN_BREAK");
    assertThat(tree.at("/problems/0/where").asText()).isEqualTo("p3o.steps-0@7");
    assertThat(tree.at("/problems/0/what").asText()).isEqualTo("names \u001B[2J");
    assertThat(tree.at("/version/groups/0/groupId").asLong()).isEqualTo(4);
    assertThat(tree.at("/group/history/0/what").asText()).isEqualTo("TRAINED");
    JsonNode plain = json(new AuditAnswer(OK, null, null));
    assertThat(plain.get("ok").asBoolean()).isTrue();
    assertThat(plain.get("problems")).isEmpty();
    assertThat(plain.has("version")).isFalse();
  }

  private static VersionOrigin origin(long version) {
    VersionOrigin origin = new VersionOrigin(version);
    origin.accept(step());
    return origin;
  }

  private static GroupHistory history(long groupId) {
    GroupHistory history = new GroupHistory(groupId);
    history.accept(step());
    return history;
  }

  private static AuditedRecord step() {
    StepEvent event =
        StepEvent.newBuilder(LedgerFixtures.step(0, 1, 2, 0.25, 0.9, 1, 80))
            .setWindow(List.of(new WindowEntry(2, 17L, 4L, 0, 0L)))
            .build();
    return new AuditedRecord("p3o.steps", 0, 5, null, new Decoded.Accepted(event));
  }

  private static AuditReport report(Map<ProblemKind, Long> counts, List<Problem> problems) {
    return new AuditReport(
        "demo",
        "p3o.",
        152,
        150,
        150,
        149,
        "abc",
        new AuditReport.Groups(1216, 1192, 8, 0, 16),
        new AuditReport.Records(1221, 5, 16, 3, 1216, 5, 150),
        counts,
        problems);
  }

  private static String text(AuditAnswer answer) {
    StringWriter written = new StringWriter();
    new AuditText(new PrintWriter(written)).show(answer);
    return written.toString().replace(System.lineSeparator(), "\n");
  }

  private static JsonNode json(AuditAnswer answer) throws Exception {
    String text = AuditJson.text(answer);
    assertThat(text).matches("(?s)\\p{ASCII}*");
    return new ObjectMapper().readTree(text);
  }
}
