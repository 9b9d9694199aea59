package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.progress.ConsumedOffsets;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Records that must not be trained on, in the topic of a real run. */
@ExtendWith(LocalStackExtension.class)
class BadInputIT {

  @Test
  void badRecordsGoToTheDeadLettersAndTheRunGoesOn(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("good")) {
      run.learner("learner.steps=2").join();
      awaitGroups(run, 16); // windows 0 to 3
      producer.stop();
    }
    TopicSpec rollouts = run.topics().rollouts();
    RolloutGroup trained = group(run, 0);
    RolloutGroup pending = group(run, 8); // dispatched for window 2, waiting to be trained
    try (RecordCodec codec = run.codec()) {
      run.publish(rollouts, 0, null, "no Avro".getBytes(StandardCharsets.UTF_8));
      run.publish(rollouts, 0, null, new byte[] {0, 0, 0x7f, 0, 0, 1, 2, 3});
      run.publish(rollouts, 0, null, null);
      run.publish(rollouts, 1, null, codec.encode(rollouts.name(), point()));
      publish(run, codec, trained);
      publish(run, codec, pending);
      publish(run, codec, change(pending, group -> group.setGroupId(4000).setWindowIndex(1000)));
      publish(run, codec, change(pending, group -> group.setRunId("elsewhere")));
      publish(run, codec, change(pending, group -> group.setAttempt(7)));
    }
    try (RunningRole producer = run.producer("good")) {
      run.learner("learner.steps=5").join();
    }

    assertThat(run.steps()).hasSize(5);
    assertThat(reasons(run))
        .containsEntry(RejectionReason.UNDECODABLE, 2)
        .containsEntry(RejectionReason.UNKNOWN_SCHEMA, 1)
        .containsEntry(RejectionReason.WRONG_RECORD_TYPE, 1)
        .containsEntry(RejectionReason.DUPLICATE, 2)
        .containsEntry(RejectionReason.NOT_DISPATCHED, 2)
        .containsEntry(RejectionReason.FOREIGN_RUN, 1)
        .hasSize(6);
    assertAccountedFor(run);
  }

  @Test
  void groupsThatBreakTheContractAreReplaced(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("good")) {
      run.learner("learner.steps=1").join();
      awaitGroups(run, 12); // windows 0 to 2
      producer.stop();
    }
    run.learner("learner.steps=3").join(); // dispatches windows 3 and 4, which nobody samples yet
    RolloutGroup like = group(run, 8);
    try (RecordCodec codec = run.codec()) { // a foreign producer answers window 4 first
      publish(
          run,
          codec,
          answer(
              like,
              16,
              r -> r.setBehaviorLogprobs(with(r.getBehaviorLogprobs(), Float.NaN)),
              group -> group));
      publish(run, codec, answer(like, 17, r -> r.setLossMask(List.of(true)), group -> group));
      publish(
          run,
          codec,
          answer(
              like,
              18,
              r -> r.setBehaviorLogprobs(with(r.getBehaviorLogprobs(), 0.5f)),
              group -> group));
      publish(run, codec, answer(like, 19, r -> r, group -> group.setModelHash("other")));
    }
    try (RunningRole producer = run.producer("good")) {
      run.learner("learner.steps=6").join();
    }

    assertThat(reasons(run))
        .containsEntry(RejectionReason.NON_FINITE, 1)
        .containsEntry(RejectionReason.LENGTH_MISMATCH, 1)
        .containsEntry(RejectionReason.POSITIVE_LOGPROB, 1)
        .containsEntry(RejectionReason.MODEL_MISMATCH, 1);
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class))
        .extracting(DeadLetter::getField)
        .contains("responses[1].behaviorLogprobs[0]", "responses[1].lossMask", "modelHash");
    assertThat(run.ledger()).extracting(StepEvent::getKind).contains(StepKind.INTERIM);
    StepEvent replaced = run.steps().get(4);
    assertThat(replaced.getWindow()).extracting(WindowEntry::getAttempt).containsOnly(1);
    assertThat(replaced.getMetrics().getStalenessMax()).isEqualTo(1);
    assertAccountedFor(run);
  }

  @Test
  void learnerEndsWhenEveryGroupIsRejectedTimeAndTimeAgain(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    Path prompts = directory.resolve("no-number.jsonl");
    PromptFile.write(prompts, List.of(new PromptExample("1=", "no-such")));
    TestRun run =
        new TestRun(
            stack,
            directory,
            "prompts.reward=numeric",
            "prompts.file=" + prompts,
            "window.maxTopUps=1");
    try (RunningRole producer = run.producer("gives-up");
        RunningRole learner = run.learner("learner.steps=9")) {
      assertThat(learner.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("every group of 3 windows in a row was given up, 0 to 2")
          .hasMessageContaining("PRODUCER_FAILURE")
          .hasMessageContaining("no-such");
    }
    assertThat(run.steps()).isEmpty();
    assertThat(run.ledger())
        .filteredOn(event -> event.getKind() == StepKind.NO_OP)
        .hasSize(3)
        .allSatisfy(event -> assertThat(event.getMissingGroups()).hasSize(4));
    assertAccountedFor(run);
  }

  @Test
  void learnerRefusesPromptsThatTheModelCannotServe(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory);
    Path prompts = directory.resolve("unservable.jsonl");
    PromptFile.write(prompts, List.of(new PromptExample("12=", "3"), new PromptExample("a=", "1")));
    assertThat(run.learner("prompts.file=" + prompts).failure())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("unservable.jsonl: prompt 2: ")
        .hasMessageContaining("a");
    PromptFile.write(prompts, List.of(new PromptExample("1".repeat(60) + "=", "1")));
    assertThat(run.learner("prompts.file=" + prompts).failure())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("prompt 1: 61 tokens");
  }

  @Test
  void producerOfAnotherRunTakesNoPromptAway(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory);
    run.learner("learner.steps=0").join(); // opens the run
    try (RunningRole stranger = run.producer("stranger", "run.id=elsewhere")) {
      TestRun.until("the stranger has passed over the prompts", () -> run.lag("elsewhere") == 0);
      try (RunningRole producer = run.producer("good")) {
        run.learner("learner.steps=3").join();
      }
    }
    assertThat(run.values(run.topics().rollouts(), RolloutGroup.class))
        .extracting(RolloutGroup::getProducerId)
        .containsOnly("good");
  }

  /** Every visible record up to the last progress was trained once or skipped once, never both. */
  private static void assertAccountedFor(TestRun run) {
    Map<String, Integer> seen = new TreeMap<>();
    for (StepEvent event : run.ledger()) {
      for (WindowEntry entry : event.getWindow()) {
        seen.merge(entry.getPartition() + "@" + entry.getRecordOffset(), 1, Integer::sum);
      }
      for (SkippedRecord record : event.getSkipped()) {
        seen.merge(record.getPartition() + "@" + record.getRecordOffset(), 1, Integer::sum);
      }
    }
    assertThat(seen.values()).containsOnly(1);
    StepEvent last = run.ledger().get(run.ledger().size() - 1);
    for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().rollouts())) {
      boolean consumed =
          last.getProgress().stream()
              .filter(progress -> progress.getPartition() == record.partition())
              .anyMatch(progress -> new ConsumedOffsets(progress).covers(record.offset()));
      assertThat(seen.containsKey(record.partition() + "@" + record.offset()))
          .as("record %d@%d", record.partition(), record.offset())
          .isEqualTo(consumed);
    }
  }

  private static Map<RejectionReason, Integer> reasons(TestRun run) {
    Map<RejectionReason, Integer> reasons = new TreeMap<>();
    run.values(run.topics().deadLetters(), DeadLetter.class)
        .forEach(letter -> reasons.merge(letter.getReason(), 1, Integer::sum));
    return reasons;
  }

  private static RolloutGroup group(TestRun run, long groupId) {
    return run.values(run.topics().rollouts(), RolloutGroup.class).stream()
        .filter(group -> group.getGroupId() == groupId)
        .findFirst()
        .orElseThrow();
  }

  private static RolloutGroup change(
      RolloutGroup group, UnaryOperator<RolloutGroup.Builder> change) {
    return change.apply(RolloutGroup.newBuilder(group)).build();
  }

  /** An answer to a group of window 4, by version 3 as asked, with its second response changed. */
  private static RolloutGroup answer(
      RolloutGroup like,
      long groupId,
      UnaryOperator<Response.Builder> changeResponse,
      UnaryOperator<RolloutGroup.Builder> changeGroup) {
    List<Response> responses = new ArrayList<>();
    for (Response response : like.getResponses()) {
      Response.Builder builder =
          Response.newBuilder(response)
              .setPolicyVersion(3)
              .setVersionSegments(List.of(new VersionSegment(0, 3L)));
      responses.add((responses.size() == 1 ? changeResponse.apply(builder) : builder).build());
    }
    return change(
        like,
        group ->
            changeGroup.apply(
                group
                    .setGroupId(groupId)
                    .setWindowIndex(groupId / 4)
                    .setAttempt(0)
                    .setResponses(responses)));
  }

  private static void awaitGroups(TestRun run, int count) {
    TestRun.until(
        count + " groups",
        () -> run.values(run.topics().rollouts(), RolloutGroup.class).size() >= count);
  }

  private static List<Float> with(List<Float> values, float first) {
    List<Float> changed = new ArrayList<>(values);
    changed.set(0, first);
    return changed;
  }

  private static void publish(TestRun run, RecordCodec codec, RolloutGroup group) {
    TopicSpec rollouts = run.topics().rollouts();
    run.publish(
        rollouts,
        rollouts.partitionOf(group.getGroupId()),
        RecordKeys.of(group.getGroupId()),
        codec.encode(rollouts.name(), group));
  }

  private static MetricPoint point() {
    return MetricPoint.newBuilder()
        .setRunId("test")
        .setName("train/grad_norm")
        .setStep(0)
        .setValue(1)
        .setUnit("1")
        .setEventTime(0)
        .build();
  }
}
