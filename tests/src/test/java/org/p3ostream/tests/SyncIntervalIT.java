package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Periodic sync through a real broker: producers sample with a version of the last period. */
@ExtendWith(LocalStackExtension.class)
class SyncIntervalIT {

  private static final int INTERVAL = 3;
  private static final int MAX_STALENESS = 1;
  private static final int STEPS = 9;

  /**
   * With a learner that comes back in the middle, and a producer that keeps nothing it may need.
   */
  @Test
  void everyTokenIsAsStaleAsThePeriodSays(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun twin = run(stack, directory.resolve("twin"));
    try (RunningRole producer = twin.producer("a")) {
      twin.learner("learner.steps=" + STEPS).join();
    }
    TestRun run = run(stack, directory.resolve("run"));
    try (RunningRole first = run.producer("a", "producer.versionsKept=1")) {
      run.learner("learner.steps=5").join();
      first.stop();
    }
    try (RunningRole second = run.producer("b", "producer.versionsKept=1")) {
      run.learner("learner.steps=" + STEPS).join();
    }
    assertThat(run.steps()).hasSize(STEPS);
    assertThat(run.steps())
        .anySatisfy(step -> assertThat(step.getMetrics().getGradNorm()).isGreaterThan(1e-3));
    assertThat(digests(run)).isEqualTo(digests(twin));
    assertEveryTokenWasSampledByTheVersionOfItsPeriod(run);
    assertThat(run.steps())
        .extracting(step -> step.getMetrics().getStalenessMax())
        .containsExactly(0L, 1L, 2L, 3L, 1L, 2L, 3L, 1L, 2L);
    assertPromptsNameTheManifestsThatLieBeforeThem(run);
  }

  private static TestRun run(LocalStack stack, Path directory) throws Exception {
    return TestRun.rewarded(
        stack,
        directory,
        "dispatch.syncInterval=" + INTERVAL,
        "dispatch.maxStaleness=" + MAX_STALENESS);
  }

  /** From the rollouts themselves, not from the learner's metrics. */
  private static void assertEveryTokenWasSampledByTheVersionOfItsPeriod(TestRun run) {
    Map<Long, RolloutGroup> groups =
        run.values(run.topics().rollouts(), RolloutGroup.class).stream()
            .collect(Collectors.toMap(RolloutGroup::getGroupId, group -> group));
    for (StepEvent step : run.steps()) {
      long dispatchedAt = Math.max(0, step.getStep() - MAX_STALENESS);
      for (WindowEntry entry : step.getWindow()) {
        for (Response response : groups.get(entry.getGroupId()).getResponses()) {
          assertThat(response.getVersionSegments())
              .extracting(segment -> segment.getPolicyVersion())
              .as("window %d group %d", step.getStep(), entry.getGroupId())
              .containsOnly(dispatchedAt - dispatchedAt % INTERVAL);
        }
      }
    }
  }

  private static void assertPromptsNameTheManifestsThatLieBeforeThem(TestRun run) {
    Map<Long, Long> manifests = manifestOffsets(run);
    Map<Long, PromptTask> prompts =
        run.values(run.topics().prompts(), PromptTask.class).stream()
            .collect(Collectors.toMap(PromptTask::getGroupId, prompt -> prompt));
    for (StepEvent event : run.ledger()) {
      for (DispatchedGroup group : event.getDispatched()) {
        PromptTask prompt = prompts.get(group.getGroupId());
        assertThat(group.getPolicyVersion()).isEqualTo(prompt.getExactPolicyVersion());
        boolean sameTransaction = group.getPolicyVersion() == event.getPolicyVersionAfter();
        assertThat(prompt.getManifestOffset())
            .as("group %d of step %d", group.getGroupId(), event.getStep())
            .isEqualTo(sameTransaction ? null : manifests.get(group.getPolicyVersion()));
      }
    }
  }

  private static Map<Long, Long> manifestOffsets(TestRun run) {
    Map<Long, Long> offsets = new HashMap<>();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().snapshots())) {
        if (((Decoded.Accepted) codec.decode(record.topic(), record.value())).record()
            instanceof SnapshotManifest manifest) {
          offsets.put(manifest.getVersion(), record.offset());
        }
      }
    }
    return offsets;
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }
}
