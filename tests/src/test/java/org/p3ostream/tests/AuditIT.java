package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.AuditAnswer;
import org.p3ostream.deploy.audit.AuditQuestion;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.Problem;
import org.p3ostream.learner.audit.ProblemKind;
import org.p3ostream.learner.audit.VersionOrigin;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** The audit of real runs, healthy and damaged. */
@ExtendWith(LocalStackExtension.class)
class AuditIT {

  private static final int STEPS = 5;
  private static final int GROUPS = 4;

  @Test
  void auditFindsAHealthyRunHealthyWhileItGoesOnAndAfterwards(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    List<AuditReport> live = new ArrayList<>();
    try (RunningRole producer = run.producer("a");
        RunningRole learner = run.learner("learner.steps=15")) {
      run.awaitGenesis(learner);
      while (!learner.hasEnded()) {
        live.add(RunAudit.of(run.config()));
      }
      learner.join();
    }
    assertThat(live).hasSizeGreaterThan(1);
    assertThat(live).allSatisfy(report -> assertThat(report.problems()).isEmpty());
    AuditReport report = RunAudit.of(run.config());
    assertThat(report.problems()).isEmpty();
    assertThat(report.steps()).isEqualTo(15);
    assertThat(report.groups().trained()).isEqualTo(15 * GROUPS);
    assertThat(report.groups().pending()).isEqualTo(2 * GROUPS);
    assertThat(report.lost() + report.duplicates() + report.chainBreaks()).isZero();
    assertThat(report.records().snapshots()).isEqualTo(16);
    assertThat(report.weightsSha256()).isEqualTo(run.steps().get(14).getWeightsSha256());
  }

  @Test
  void auditAccountsForBadRecordsAndTellsWhatHappenedToAGroup(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory);
    TopicSpec rollouts = run.topics().rollouts();
    RolloutGroup group = run.values(rollouts, RolloutGroup.class).get(0);
    try (RecordCodec codec = run.codec()) {
      run.publish(rollouts, 0, null, "no Avro".getBytes(StandardCharsets.UTF_8));
      run.publish(rollouts, 1, null, null);
      run.publish(
          rollouts,
          rollouts.partitionOf(group.getGroupId()),
          RecordKeys.of(group.getGroupId()),
          codec.encode(rollouts.name(), group));
    }
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + (STEPS + 3)).join();
    }
    try (RoleClients clients = new RoleClients(run.config())) {
      AuditAnswer answer =
          new RunAudit(run.config(), clients, line -> {})
              .run(new AuditQuestion(3L, group.getGroupId()));
      assertThat(answer.report().problems()).isEmpty();
      assertThat(answer.report().records().skipped()).isEqualTo(3);
      assertThat(answer.report().records().deadLetters()).isEqualTo(3);
      assertThat(answer.version().groups())
          .extracting(VersionOrigin.Trained::groupId)
          .containsExactly(8L, 9L, 10L, 11L);
      assertThat(answer.group().happenings())
          .extracting(GroupHistory.Happening::what)
          .containsExactlyInAnyOrder(
              GroupHistory.What.DISPATCHED,
              GroupHistory.What.PROMPT,
              GroupHistory.What.ROLLOUT,
              GroupHistory.What.TRAINED,
              GroupHistory.What.ROLLOUT,
              GroupHistory.What.DEAD_LETTER);
    }
  }

  @Test
  void auditNamesAnEventThatWasAppended(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    List<ConsumerRecord<byte[], byte[]>> ledger = run.records(run.topics().steps());
    ConsumerRecord<byte[], byte[]> last = ledger.get(ledger.size() - 1);
    run.publish(run.topics().steps(), 0, last.key(), last.value());
    AuditReport report = RunAudit.of(run.config());
    assertThat(report.ok()).isFalse();
    assertThat(report.chainBreaks()).isEqualTo(1);
    assertThat(report.duplicates()).isEqualTo(GROUPS);
    Problem broken = problem(report, ProblemKind.CHAIN_BREAK);
    assertThat(broken.where()).isEqualTo(coordinate(run.topics().steps(), 0, last.offset() + 2));
    assertThat(broken.what()).contains(EventHash.of(last.value()));
  }

  @Test
  void auditNamesRecordsThatWereDeleted(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    WindowEntry entry = run.steps().get(1).getWindow().get(0);
    TopicPartition partition =
        new TopicPartition(run.topics().rollouts().name(), entry.getPartition());
    try (RoleClients clients = new RoleClients(run.config())) {
      clients
          .admin()
          .deleteRecords(
              Map.of(partition, RecordsToDelete.beforeOffset(entry.getRecordOffset() + 1)))
          .all()
          .get();
    }
    AuditReport report = RunAudit.of(run.config());
    assertThat(report.problemCounts())
        .containsOnlyKeys(ProblemKind.RECORDS_GONE, ProblemKind.MISSING_RECORD);
    assertThat(problem(report, ProblemKind.RECORDS_GONE).where()).isEqualTo(partition.toString());
    assertThat(report.problems())
        .anyMatch(
            problem ->
                problem
                    .where()
                    .equals(
                        coordinate(
                            run.topics().rollouts(),
                            entry.getPartition(),
                            entry.getRecordOffset())));
  }

  @Test
  void auditSaysThatThereIsNoRunOrAnotherOne(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    assertThat(RunAudit.of(run.config("run.topicPrefix=nothing.")).problems())
        .extracting(Problem::kind)
        .contains(ProblemKind.TOPIC_MISSING, ProblemKind.NO_LEDGER);
    assertThat(RunAudit.of(run.config("run.id=other")).problems())
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.toString())
                    .startsWith("FOREIGN_RUN")
                    .contains("belongs to run 'test', run.id says 'other'"));
  }

  private static TestRun finished(LocalStack stack, Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + STEPS).join();
    }
    return run;
  }

  private static Problem problem(AuditReport report, ProblemKind kind) {
    return report.problems().stream().filter(p -> p.kind() == kind).findFirst().orElseThrow();
  }

  private static String coordinate(TopicSpec topic, int partition, long offset) {
    return topic.name() + "-" + partition + "@" + offset;
  }
}
