package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.registry.CompatibilityLevel;
import org.p3ostream.schemas.registry.SchemaRegistryClient;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.snapshot.SnapshotAssembler;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** The loop through a real broker and a real registry. */
@ExtendWith(LocalStackExtension.class)
class LoopIT {

  private static final int GROUPS = 4;

  @Test
  void runTrainsEveryWindowOnceAndInOrder(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=8", "dispatch.maxStaleness=2");
    try (RunningRole learner = run.learner();
        RunningRole producer = run.producer("a")) {
      learner.join();
    }
    List<StepEvent> ledger = run.ledger();
    assertThat(ledger.get(0).getKind()).isEqualTo(StepKind.GENESIS);
    assertThat(run.steps())
        .extracting(StepEvent::getStep)
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    for (StepEvent step : run.steps()) {
      long expectedStaleness = Math.min(step.getStep(), 2);
      assertThat(step.getPolicyVersionAfter()).isEqualTo(step.getStep() + 1);
      assertThat(step.getMetrics().getStalenessMin()).isEqualTo(expectedStaleness);
      assertThat(step.getMetrics().getStalenessMax()).isEqualTo(expectedStaleness);
      assertThat(step.getWindow())
          .extracting(WindowEntry::getGroupId)
          .containsExactly(
              step.getStep() * GROUPS,
              step.getStep() * GROUPS + 1,
              step.getStep() * GROUPS + 2,
              step.getStep() * GROUPS + 3);
    }
    assertThat(coordinates(ledger)).hasSize(8 * GROUPS);
    assertEveryTokenIsAsStaleAsDispatched(run, 2);
    assertChained(run);
    assertThat(rebuiltDigest(run, 8)).isEqualTo(ledger.get(ledger.size() - 1).getWeightsSha256());
  }

  @Test
  void learnerHoldsTheSubjectOfEveryTypeToItsLevelWhetherOrNotItWritesIt(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=0");
    SchemaRegistryClient registry = new SchemaRegistryClient(run.config().registry());
    for (Schema schema : RecordTypes.schemas()) {
      registry.register(schema.getFullName(), schema);
      registry.setCompatibility(schema.getFullName(), CompatibilityLevel.NONE);
    }

    run.learner().join();

    for (Schema schema : RecordTypes.schemas()) {
      assertThat(registry.compatibility(schema.getFullName()))
          .as(schema.getFullName())
          .contains(CompatibilityLevel.BACKWARD_TRANSITIVE);
    }
  }

  @Test
  void weightsDoNotDependOnTheNumberOfProducersNorOnTheRunId(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun one = TestRun.rewarded(stack, directory.resolve("one"), "learner.steps=10");
    try (RunningRole learner = one.learner();
        RunningRole producer = one.producer("a")) {
      learner.join();
    }
    TestRun two =
        TestRun.rewarded(stack, directory.resolve("two"), "learner.steps=10", "run.id=another");
    two.learner("learner.steps=0").join(); // opens the run, so that the producers can gather
    try (RunningRole first = two.producer("a");
        RunningRole second = two.producer("b")) {
      two.awaitProducers(2);
      two.learner().join();
    }
    assertThat(digests(two)).isEqualTo(digests(one));
    Map<String, Long> byProducer =
        two.values(two.topics().rollouts(), RolloutGroup.class).stream()
            .collect(Collectors.groupingBy(RolloutGroup::getProducerId, Collectors.counting()));
    long quarter = two.values(two.topics().rollouts(), RolloutGroup.class).size() / 4;
    assertThat(byProducer).containsOnlyKeys("a", "b");
    assertThat(byProducer.values()).allSatisfy(groups -> assertThat(groups).isGreaterThan(quarter));
  }

  @Test
  void noStepIsCommittedWhileThereIsNoProducer(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    int steps = 60;
    TestRun run = new TestRun(stack, directory, "learner.steps=" + steps);
    long restartedAt;
    Set<Long> beforeRestart;
    try (RunningRole learner = run.learner()) {
      try (RunningRole producer = run.producer("first")) {
        run.awaitSteps(5);
        producer.stop();
      }
      beforeRestart =
          run.values(run.topics().rollouts(), RolloutGroup.class).stream()
              .map(RolloutGroup::getGroupId)
              .collect(Collectors.toSet());
      int trainable = completeWindows(beforeRestart);
      assertThat(trainable).isBetween(5, steps - 1);
      run.awaitSteps(trainable);
      restartedAt = System.currentTimeMillis();
      assertThat(run.steps()).hasSize(trainable);
      try (RunningRole producer = run.producer("second")) {
        learner.join();
      }
      for (StepEvent step : run.steps().subList(trainable, steps)) {
        assertThat(step.getCommittedAt()).isGreaterThanOrEqualTo(restartedAt);
      }
    }
    assertThat(run.steps()).hasSize(steps);
    assertThat(run.values(run.topics().rollouts(), RolloutGroup.class))
        .filteredOn(group -> !beforeRestart.contains(group.getGroupId()))
        .extracting(RolloutGroup::getProducerId)
        .containsOnly("second");
  }

  /** From the rollouts themselves, not from the learner's metrics: staleness = min(window, η). */
  private static void assertEveryTokenIsAsStaleAsDispatched(TestRun run, long maxStaleness) {
    Map<Long, RolloutGroup> groups =
        run.values(run.topics().rollouts(), RolloutGroup.class).stream()
            .collect(Collectors.toMap(RolloutGroup::getGroupId, group -> group));
    for (StepEvent step : run.steps()) {
      for (WindowEntry entry : step.getWindow()) {
        for (Response response : groups.get(entry.getGroupId()).getResponses()) {
          assertThat(response.getVersionSegments())
              .extracting(segment -> step.getPolicyVersionBefore() - segment.getPolicyVersion())
              .as("window %d group %d", step.getStep(), entry.getGroupId())
              .containsOnly(Math.min(step.getStep(), maxStaleness));
        }
      }
    }
  }

  private static int completeWindows(Set<Long> groups) {
    int window = 0;
    while (groups.containsAll(
        List.of(window * 4L, window * 4L + 1, window * 4L + 2, window * 4L + 3))) {
      window++;
    }
    return window;
  }

  private static Set<String> coordinates(List<StepEvent> ledger) {
    Set<String> coordinates = new HashSet<>();
    for (StepEvent event : ledger) {
      for (WindowEntry entry : event.getWindow()) {
        coordinates.add(entry.getPartition() + "@" + entry.getRecordOffset());
      }
    }
    return coordinates;
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static void assertChained(TestRun run) {
    try (RecordCodec codec = run.codec()) {
      String previous = EventHash.NONE;
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().steps())) {
        Decoded decoded = codec.decode(record.topic(), record.value());
        StepEvent event = (StepEvent) ((Decoded.Accepted) decoded).record();
        assertThat(event.getPreviousEventHash()).isEqualTo(previous);
        previous = EventHash.of(record.value());
      }
    }
  }

  /** Digest of a version put together from `snapshots` alone. */
  private static String rebuiltDigest(TestRun run, long version) {
    SnapshotAssembler assembler = new SnapshotAssembler();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().snapshots())) {
        Object value = ((Decoded.Accepted) codec.decode(record.topic(), record.value())).record();
        if (value instanceof SnapshotChunk chunk) {
          assembler.add(chunk);
        } else if (value instanceof SnapshotManifest manifest
            && assembler.close(manifest) instanceof SnapshotAssembler.Complete complete
            && manifest.getVersion() == version) {
          return WeightsDigest.sha256(WeightsDigest.toBytes(complete.weights()));
        }
      }
    }
    throw new AssertionError("no snapshot of version " + version);
  }
}
