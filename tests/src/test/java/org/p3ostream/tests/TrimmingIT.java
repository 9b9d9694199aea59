package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** A long run in a short log. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class TrimmingIT {

  private static final int GROUPS_PER_WINDOW = 4;
  private static final int STEPS = 60;
  private static final int KEPT_FOR_PEOPLE = 3;

  /** Two checkpoints five steps apart, a trim up to four steps ago, and what is dispatched. */
  private static final int MOST_WINDOWS = KEPT_FOR_PEOPLE + 2 * 5 + 4 + 2;

  @Test
  void aTrimmedRunGoesOnToTheWeightsOfOneThatKeepsEverything(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun twin = new TestRun(stack, directory.resolve("twin"));
    try (RunningRole producer = twin.producer("a")) {
      twin.learner("learner.steps=" + (STEPS + 2)).join();
    }
    TestRun run =
        new TestRun(
            stack,
            directory.resolve("run"),
            "trimming.enabled=true",
            "trimming.everySteps=4",
            "trimming.keepWindows=" + KEPT_FOR_PEOPLE,
            "learner.checkpointEvery=5",
            "learner.checkpointsKept=2");
    run.learner("learner.steps=0").join();
    for (int partition = 0; partition < run.topics().rollouts().partitions(); partition++) {
      run.publish(
          run.topics().rollouts(), partition, null, "no Avro".getBytes(StandardCharsets.UTF_8));
    }
    try (RunningRole producer = run.producer("a")) {
      JvmCommand command =
          JvmCommand.ofOwnClassPath(
                  "learner",
                  run.directory(),
                  P3o.class,
                  run.commandLine("learner", "learner.steps=50"))
              .withQuickWarmUp()
              .withTorch();
      try (ChildProcess killed = ChildProcess.start(command)) {
        run.awaitSteps(23);
        killed.kill();
      }
      run.learner("learner.steps=52").join();
      producer.stop();
    }
    try (RunningRole late = run.producer("late")) { // finds the versions it is asked for
      run.learner("learner.steps=" + STEPS).join();
    }
    assertThat(digests(run)).isEqualTo(digests(twin).subList(0, digests(run).size()));
    requireLogIsShortAndWhole(run);

    deleteNewestCheckpoint(run);
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=" + (STEPS + 2)).join(); // executes again what was kept
    }
    assertThat(digests(run)).isEqualTo(digests(twin));
    while (!checkpoints(run).isEmpty()) {
      deleteNewestCheckpoint(run);
    }
    assertThat(run.learner("learner.steps=" + (STEPS + 3)).failure())
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("gone");
  }

  private static void requireLogIsShortAndWhole(TestRun run) throws Exception {
    List<ControlChange> trims =
        run.ledger().stream()
            .map(StepEvent::getControl)
            .filter(change -> change != null && change.getKind() == ControlKind.TRIM)
            .toList();
    assertThat(trims).hasSizeGreaterThan(5);
    Map<TopicPartition, Long> cuts = new HashMap<>();
    for (TrimmedPartition cut : trims.get(trims.size() - 1).getTrimmed()) {
      cuts.put(new TopicPartition(cut.getTopic(), cut.getPartition()), cut.getBeforeOffset());
    }
    assertThat(cuts.keySet())
        .extracting(TopicPartition::topic)
        .contains(
            run.topics().rollouts().name(),
            run.topics().prompts().name(),
            run.topics().snapshots().name(),
            run.topics().deadLetters().name())
        .doesNotContain(run.topics().steps().name());
    assertThat(beginnings(run, cuts)).isEqualTo(cuts);

    int most = MOST_WINDOWS * GROUPS_PER_WINDOW;
    assertThat(run.values(run.topics().rollouts(), RolloutGroup.class)).hasSizeBetween(1, most);
    assertThat(run.values(run.topics().prompts(), PromptTask.class)).hasSizeBetween(1, most);
    assertThat(run.values(run.topics().snapshots(), SnapshotManifest.class))
        .hasSizeBetween(2, MOST_WINDOWS);
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class)).isEmpty();
    requireCoordinatesHoldTheirGroups(run, cuts);
    requireOpenPromptsAndTheirVersions(run);
  }

  /** What the ledger names is there, or below a recorded trim; the newest windows are there. */
  private static void requireCoordinatesHoldTheirGroups(
      TestRun run, Map<TopicPartition, Long> cuts) {
    Map<String, Long> groups = new HashMap<>();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().rollouts())) {
        if (codec.decode(record.topic(), record.value()) instanceof Decoded.Accepted accepted
            && accepted.record() instanceof RolloutGroup group) {
          groups.put(record.partition() + "@" + record.offset(), group.getGroupId());
        }
      }
    }
    for (StepEvent step : run.steps()) {
      for (WindowEntry entry : step.getWindow()) {
        String at = entry.getPartition() + "@" + entry.getRecordOffset();
        long cut =
            cuts.getOrDefault(
                new TopicPartition(run.topics().rollouts().name(), entry.getPartition()), 0L);
        boolean trimmed = entry.getRecordOffset() < cut;
        assertThat(groups.get(at))
            .as("group at %s, of step %d", at, step.getStep())
            .isEqualTo(trimmed ? null : (Long) entry.getGroupId());
        assertThat(trimmed && step.getStep() >= STEPS - 5 - KEPT_FOR_PEOPLE).as(at).isFalse();
      }
    }
  }

  private static void requireOpenPromptsAndTheirVersions(TestRun run) {
    List<PromptTask> open =
        run.values(run.topics().prompts(), PromptTask.class).stream()
            .filter(task -> task.getWindowIndex() >= STEPS)
            .toList();
    assertThat(open).hasSize(2 * GROUPS_PER_WINDOW);
    assertThat(run.values(run.topics().snapshots(), SnapshotManifest.class))
        .extracting(SnapshotManifest::getVersion)
        .containsAll(open.stream().map(PromptTask::getExactPolicyVersion).toList());
  }

  private static Map<TopicPartition, Long> beginnings(TestRun run, Map<TopicPartition, Long> cuts)
      throws Exception {
    try (RoleClients clients = new RoleClients(run.config())) {
      Map<TopicPartition, ListOffsetsResultInfo> found =
          clients
              .admin()
              .listOffsets(
                  cuts.keySet().stream()
                      .collect(Collectors.toMap(p -> p, p -> OffsetSpec.earliest())))
              .all()
              .get();
      Map<TopicPartition, Long> beginnings = new HashMap<>();
      found.forEach((partition, offset) -> beginnings.put(partition, offset.offset()));
      return beginnings;
    }
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static List<Path> checkpoints(TestRun run) throws IOException {
    try (Stream<Path> entries = Files.list(run.directory().resolve("checkpoints"))) {
      return entries.sorted(Comparator.reverseOrder()).toList();
    }
  }

  private static void deleteNewestCheckpoint(TestRun run) throws IOException {
    try (Stream<Path> entries = Files.walk(checkpoints(run).get(0))) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }
}
