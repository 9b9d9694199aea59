package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Prompts that are taken and never answered, through a real broker. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class LostGroupsIT {

  @Test
  void lostGroupsAreDispatchedAgainAndTheWeightsAreThoseOfAnUndisturbedRun(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun twin = TestRun.rewarded(stack, directory.resolve("twin"), "learner.steps=4");
    try (RunningRole producer = twin.producer("a")) {
      twin.learner().join();
    }
    TestRun run = TestRun.rewarded(stack, directory.resolve("run"), "learner.steps=4");
    run.learner("learner.steps=0").join(); // dispatches windows 0 and 1
    lose(run, 2, 5);
    try (RunningRole producer = run.producer("a")) {
      run.learner("dispatch.timeoutSeconds=1").join();
    }
    assertThat(digests(run)).isEqualTo(digests(twin));
    assertThat(run.steps())
        .anySatisfy(step -> assertThat(step.getMetrics().getGradNorm()).isGreaterThan(1e-3));
    List<DispatchedGroup> again =
        run.ledger().stream()
            .filter(event -> event.getKind() == StepKind.INTERIM)
            .flatMap(event -> event.getDispatched().stream())
            .toList();
    assertThat(again).extracting(DispatchedGroup::getGroupId).contains(2L, 5L);
    assertThat(again).extracting(DispatchedGroup::getAttempt).containsOnly(0);
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class))
        .extracting(DeadLetter::getReason) // of groups that only took long
        .isSubsetOf(RejectionReason.DUPLICATE);
  }

  @Test
  void windowIsTrainedShortWithoutALostGroupAndPassedWithoutAny(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = TestRun.rewarded(stack, directory, "window.maxTopUps=0");
    run.learner("learner.steps=0").join();
    lose(run, 2, 4, 5, 6, 7); // one of window 0, all of window 1
    try (RunningRole producer = run.producer("a")) {
      TestRun.until(
          "three groups",
          () -> run.values(run.topics().rollouts(), RolloutGroup.class).size() == 3);
      run.learner("learner.steps=2", "dispatch.timeoutSeconds=1").join();
      run.learner("learner.steps=4").join();
      deleteCheckpoints(run);
      run.learner("learner.steps=5").join(); // executes the short window again
    }
    StepEvent first = settling(run, 0);
    assertThat(first.getKind()).isEqualTo(StepKind.STEP);
    assertThat(first.getWindow()).extracting(WindowEntry::getGroupId).containsExactly(0L, 1L, 3L);
    assertThat(first.getMissingGroups()).containsExactly(2L);
    StepEvent second = settling(run, 1);
    assertThat(second.getKind()).isEqualTo(StepKind.NO_OP);
    assertThat(second.getWindow()).isEmpty();
    assertThat(second.getMissingGroups()).containsExactly(4L, 5L, 6L, 7L);
    assertThat(run.steps()).extracting(StepEvent::getStep).containsExactly(0L, 2L, 3L, 4L);
    assertThat(run.steps())
        .filteredOn(step -> step.getStep() > 1)
        .allSatisfy(step -> assertThat(step.getWindow()).hasSize(4));
  }

  /** As if a producer had taken the prompts and committed without an answer. */
  private static void lose(TestRun run, long... groupIds) throws Exception {
    TopicSpec prompts = run.topics().prompts();
    Map<TopicPartition, OffsetAndMetadata> beyond = new HashMap<>();
    for (long groupId : groupIds) { // one prompt lies on each partition
      beyond.put(
          new TopicPartition(prompts.name(), prompts.partitionOf(groupId)),
          new OffsetAndMetadata(1));
    }
    try (RoleClients clients = new RoleClients(run.config())) {
      clients
          .admin()
          .alterConsumerGroupOffsets(run.config().producerSettings().groupId(), beyond)
          .all()
          .get();
    }
  }

  private static StepEvent settling(TestRun run, long window) {
    return run.ledger().stream()
        .filter(event -> event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP)
        .filter(event -> event.getStep() == window)
        .findFirst()
        .orElseThrow();
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static void deleteCheckpoints(TestRun run) throws Exception {
    try (var entries = Files.walk(run.directory().resolve("checkpoints"))) {
      for (Path entry : entries.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }
}
