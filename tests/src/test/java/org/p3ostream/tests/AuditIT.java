package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.AuditAnswer;
import org.p3ostream.deploy.audit.AuditQuestion;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.Problem;
import org.p3ostream.learner.audit.ProblemKind;
import org.p3ostream.learner.audit.VersionOrigin;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.runtime.Fork;
import org.p3ostream.learner.runtime.ForkSource;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.StoredLog;
import org.p3ostream.tests.support.TestRun;

/** The audit of real runs, healthy and damaged. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class AuditIT {

  private static final int STEPS = 5;
  private static final int GROUPS = 4;

  @Test
  void auditFindsAHealthyRunHealthyWhileItGoesOnAndAfterwards(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    List<AuditReport> live = new ArrayList<>();
    try (RunningRole producer = run.producer("a");
        RunningRole learner = run.learner("learner.steps=40")) {
      run.awaitGenesis(learner);
      while (!learner.hasEnded()) {
        live.add(RunAudit.of(run.config()));
      }
      learner.join();
    }
    run.awaitMarkers();
    assertThat(live).isNotEmpty();
    assertThat(live).allSatisfy(report -> assertThat(report.problems()).isEmpty());
    AuditReport report = RunAudit.of(run.config());
    assertThat(report.problems()).isEmpty();
    assertThat(report.steps()).isEqualTo(40);
    assertThat(report.groups().trained()).isEqualTo(40 * GROUPS);
    assertThat(report.groups().pending()).isEqualTo(2 * GROUPS);
    assertThat(report.lost() + report.duplicates() + report.chainBreaks()).isZero();
    assertThat(report.records().snapshots()).isEqualTo(41);
    assertThat(report.weightsSha256()).isEqualTo(run.steps().get(39).getWeightsSha256());
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
    run.awaitMarkers();
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
    delete(run, partition, entry.getRecordOffset() + 1);
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

  @Test
  void auditNamesAFlippedBitInAnEventAndInASnapshot(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    for (TopicSpec topic : List.of(run.topics().steps(), run.topics().snapshots())) {
      long offset =
          run.records(topic).stream()
              .filter(record -> RecordKeys.number(record.key()).getAsLong() == 2)
              .findFirst()
              .orElseThrow()
              .offset();
      StoredLog.flipBit(topic.name(), offset);
      AuditReport report = RunAudit.of(run.config());
      Problem damaged = problem(report, ProblemKind.DAMAGED);
      assertThat(damaged.where()).isEqualTo(coordinate(topic, 0, offset));
      assertThat(damaged.what()).contains("crc");
      assertThat(report.events()).isEqualTo(topic.equals(run.topics().steps()) ? STEPS : STEPS + 1);
      StoredLog.flipBit(topic.name(), offset);
      assertThat(RunAudit.of(run.config()).problems()).isEmpty();
    }
  }

  @Test
  void auditTellsTrimmedRecordsApart(LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "trimming.enabled=true",
            "trimming.everySteps=3",
            "trimming.keepWindows=0",
            "learner.checkpointEvery=2",
            "learner.checkpointsKept=2");
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=12").join();
    }
    run.awaitMarkers();
    AuditReport report = RunAudit.of(run.config());
    assertThat(report.problems()).isEmpty();
    assertThat(report.records().trimmed()).isGreaterThan(3 * GROUPS);
    assertThat(report.groups().trained()).isEqualTo(12 * GROUPS);
  }

  @Test
  void auditFollowsAForkToTheRecordsOfItsRun(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    P3oConfig config =
        run.config(
            "run.id=fork",
            "run.topicPrefix=" + run.topics().prefix() + "fork.",
            "algorithm.name=grpo",
            "learner.checkpointDirectory=" + directory.resolve("of-fork"));
    LearnerSettings settings = config.learnerSettings(Map.of());
    ForkSource source =
        new ForkSource("test", run.topics().prefix(), directory.resolve("checkpoints"), 1);
    try (RoleClients clients = new RoleClients(config)) {
      new Fork(settings, source, Long.MAX_VALUE, clients.learner(settings), Clock.systemUTC())
          .run();
    }
    run.values(new TopicCatalogue(config.run().topicPrefix()).steps(), StepEvent.class); // awaited
    AuditReport report = RunAudit.of(config);
    assertThat(report.problems()).isEmpty();
    assertThat(report.steps()).isEqualTo(STEPS - 2);
    assertThat(report.groups().trained()).isEqualTo((STEPS - 2) * GROUPS);
    delete(run, new TopicPartition(run.topics().rollouts().name(), 0), 1_000);
    assertThat(RunAudit.of(config).problemCounts()).containsKey(ProblemKind.MISSING_RECORD);
  }

  @Test
  void commandsPrintAuditSnapshotsAndDeadLetters(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    run.publish(run.topics().rollouts(), 0, null, "no Avro".getBytes(StandardCharsets.UTF_8));
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + (STEPS + 2)).join();
    }
    run.awaitMarkers();
    Path config =
        Files.writeString(directory.resolve("run.yaml"), ConfigPrinter.toYaml(run.config()));
    JsonNode audit = new ObjectMapper().readTree(execute(0, "audit", config, "--json"));
    assertThat(audit.get("ok").asBoolean()).isTrue();
    assertThat(audit.get("steps").asInt()).isEqualTo(STEPS + 2);
    assertThat(audit.get("weightsSha256").asText())
        .isEqualTo(run.steps().get(STEPS + 1).getWeightsSha256());
    assertThat(execute(0, "audit", config, "--version=2", "--group=4"))
        .contains("audit      ok", "version 2 was trained by", "group 4", "TRAINED");
    assertThat(execute(0, "log snapshots", config, "--from=1", "--to=2").lines())
        .hasSize(3)
        .anyMatch(line -> line.matches(" +2 +1 +FULL .*"))
        .anyMatch(line -> line.contains(run.steps().get(2).getWeightsSha256()));
    assertThat(execute(0, "log dead-letters", config))
        .contains("UNDECODABLE  " + run.topics().rollouts().name() + "-0@");
    assertThat(execute(0, "log dead-letters", config, "--reason=duplicate")).isEmpty();
    assertThat(execute(0, "log steps", config, "--group=4", "--json").lines()).hasSize(2);
    assertThat(execute(1, "log rollouts", config, "--producer=nobody")).isEmpty();

    run.publish(run.topics().steps(), 0, null, new byte[] {1});
    assertThat(execute(1, "audit", config)).contains("audit      NOT OK", "UNREADABLE ");
  }

  /** Runs a command line to its end; what it wrote to standard output. */
  private static String execute(int exitCode, String command, Path config, String... options) {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of("--config", config.toString()));
    arguments.addAll(List.of(options));
    StringWriter output = new StringWriter();
    assertThat(
            P3o.commandLine()
                .setOut(new PrintWriter(output))
                .execute(arguments.toArray(String[]::new)))
        .as("%s", arguments)
        .isEqualTo(exitCode);
    return output.toString();
  }

  private static void delete(TestRun run, TopicPartition partition, long most) throws Exception {
    try (RoleClients clients = new RoleClients(run.config())) {
      long before = Math.min(most, end(run, partition));
      clients
          .admin()
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before)))
          .all()
          .get();
    }
  }

  private static long end(TestRun run, TopicPartition partition) {
    return run.records(run.topics().rollouts()).stream()
        .filter(record -> record.partition() == partition.partition())
        .mapToLong(record -> record.offset() + 1)
        .max()
        .orElse(0);
  }

  @Test
  void followedLogTellsThatTheBrokerHasGoneAndIsBack(@TempDir Path directory) throws Throwable {
    try (LocalStack own = LocalStack.start(directory.resolve("stack"))) {
      TestRun run = new TestRun(own, directory.resolve("run"), "learner.steps=0");
      run.learner().join();
      Path config =
          Files.writeString(directory.resolve("run.yaml"), ConfigPrinter.toYaml(run.config()));
      StringWriter errors = new StringWriter();
      Pipe out = new Pipe();
      Thread follower =
          new Thread(
              () ->
                  P3o.commandLine()
                      .setOut(new PrintWriter(out, true))
                      .setErr(new PrintWriter(errors, true))
                      .execute("log", "steps", "-f", "--config", config.toString()));
      follower.start();
      TestRun.until("the ledger is shown", () -> out.text().contains("GENESIS"));
      own.broker().process().kill();
      TestRun.until(
          "the loss of the broker is told", () -> errors.toString().contains("does not answer"));
      own.broker().restart();
      TestRun.until("its return is told", () -> errors.toString().contains("answers again"));
      out.broken = true; // as if its reader had gone
      follower.join();
    }
  }

  /** Standard output that somebody reads until it breaks. */
  private static final class Pipe extends Writer {
    private final StringBuffer text = new StringBuffer();
    private volatile boolean broken;

    @Override
    public void write(char[] characters, int from, int length) {
      text.append(characters, from, length);
    }

    @Override
    public void flush() throws IOException {
      if (broken) {
        throw new IOException("nobody reads");
      }
    }

    @Override
    public void close() {}

    String text() {
      return text.toString();
    }
  }

  private static TestRun finished(LocalStack stack, Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + STEPS).join();
    }
    run.awaitMarkers();
    return run;
  }

  private static Problem problem(AuditReport report, ProblemKind kind) {
    return report.problems().stream().filter(p -> p.kind() == kind).findFirst().orElseThrow();
  }

  private static String coordinate(TopicSpec topic, int partition, long offset) {
    return topic.name() + "-" + partition + "@" + offset;
  }
}
