package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.rolloutproducer.runtime.LoopHarness.prompts;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.backlog.StartCount;
import org.p3ostream.rolloutproducer.config.ProducerConfigs;
import org.p3ostream.rolloutproducer.config.VariantConfig;
import org.p3ostream.rolloutproducer.generation.Mixture;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/** The order of things in the loop; guarantees between processes are tested with a broker. */
class ServingLoopTest {

  private final LoopHarness harness = new LoopHarness(2, prompts(0), prompts(1));

  @AfterEach
  void close() {
    harness.close();
  }

  private static PromptTask exact(long groupId, long version) {
    return PromptTasks.builder(groupId).setExactPolicyVersion(version).build();
  }

  private void turnUntilPublished(int groups) throws InterruptedException {
    harness.turnUntil(() -> harness.producer.history().size() >= groups);
  }

  private long version(RolloutGroup group) {
    return group.getResponses().get(0).getPolicyVersion();
  }

  @Test
  void turnPublishesAPolledBatchWithItsOffsetsInOneTransaction() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.appendPrompt(0, PromptTasks.task(8));
    harness.appendPrompt(1, PromptTasks.task(1));
    turnUntilPublished(3);

    assertThat(harness.producer.commitCount()).isEqualTo(1);
    assertThat(harness.committed()).isEqualTo(Map.of(prompts(0), 2L, prompts(1), 1L));
    assertThat(harness.sampledGroups).containsExactly(0L, 1L, 8L);
    assertThat(harness.loop.status().groupsPublished()).isEqualTo(3);
    assertThat(harness.loop.status().tokensPublished()).isEqualTo(3 * 4 * 2);
  }

  @Test
  void turnHasNoTransactionOpenWhileItSamples() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.appendPrompt(1, PromptTasks.task(1));
    turnUntilPublished(2);

    assertThat(harness.transactionOpenWhileSampling).containsOnly(false);
  }

  @Test
  void turnWaitsUntilItHoldsTheExactVersion() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, exact(0, 1));
    harness.turn(5);

    assertThat(harness.sampledGroups).isEmpty();
    assertThat(harness.loop.status().waitingFor()).isEqualTo("policy version 1");

    harness.appendVersion(1);
    harness.appendVersion(2);
    turnUntilPublished(1);

    assertThat(version(harness.published().get(0))).isEqualTo(1);
  }

  @Test
  void turnReadsTheLogAgainForAnExactVersionItNoLongerHolds() throws InterruptedException {
    for (int version = 0; version < 6; version++) {
      harness.appendVersion(version);
    }
    harness.turn(2);
    harness.appendPrompt(0, exact(0, 1));
    turnUntilPublished(1);

    assertThat(version(harness.published().get(0))).isEqualTo(1);
  }

  /** The period is longer than what is kept, and the versions go on while it lasts. */
  @Test
  void turnServesEveryPromptOfASyncPeriod() throws InterruptedException {
    int interval = 4;
    for (int version = 0; version < 3 * interval; version++) {
      harness.appendVersion(version);
      harness.turn(2);
      harness.appendPrompt(version % 2, exact(version, version - version % interval));
      turnUntilPublished(version + 1);
      assertThat(version(harness.published().get(version))).isEqualTo(version - version % interval);
    }
  }

  /** In lockstep, where the prompts of four windows lie ahead: more than what is kept. */
  @Test
  void turnReadsTheLogAgainOnlyOnceWhenEveryPromptAsksForAnOldVersion()
      throws InterruptedException {
    int back = 4;
    for (int version = 0; version < back; version++) {
      harness.appendVersion(version);
    }
    for (int asked = 0; asked < 12; asked++) {
      harness.appendVersion(asked + back);
      harness.turn(2);
      harness.appendPrompt(asked % 2, exact(asked, asked));
      turnUntilPublished(asked + 1);
      assertThat(version(harness.published().get(asked))).isEqualTo(asked);
    }

    assertThat(harness.snapshots.seeks()).as("the start and one recall").hasSize(2);
  }

  /** As when a producer starts late: the prompts lie there, and so do all versions. */
  @Test
  void turnServesPromptsOfSeveralPeriodsAtOnce() throws InterruptedException {
    for (int version = 0; version < 12; version++) {
      harness.appendVersion(version);
    }
    harness.appendPrompt(0, exact(0, 0));
    harness.appendPrompt(1, exact(1, 4));
    harness.appendPrompt(0, exact(2, 8));
    harness.appendPrompt(1, exact(3, 4));
    turnUntilPublished(4);

    assertThat(harness.published())
        .allSatisfy(
            group ->
                assertThat(version(group))
                    .isEqualTo(new long[] {0, 4, 8, 4}[(int) (long) group.getGroupId()]));
  }

  /** One variant as asked, one two versions before, one at the last multiple of four. */
  private static Mixture mixture() {
    return Mixture.of(
        ProducerConfigs.mixed(
            new VariantConfig(2, 0, 1, null, null),
            new VariantConfig(1, 2, 1, null, null),
            new VariantConfig(1, 0, 4, null, null)));
  }

  private static List<Long> versions(RolloutGroup group) {
    return group.getResponses().stream().map(Response::getPolicyVersion).toList();
  }

  /** What is kept, one version, is less than what the variants go back. */
  @Test
  void turnReadsTheLogAgainForEveryVersionOfAMixture() throws InterruptedException {
    try (LoopHarness mixed = new LoopHarness(1, mixture(), prompts(0))) {
      for (int version = 0; version < 12; version++) {
        mixed.appendVersion(version);
      }
      mixed.turn(2);
      for (long asked : new long[] {7, 3, 11, 0}) {
        mixed.appendPrompt(0, exact(asked, asked));
      }
      mixed.turnUntil(() -> mixed.producer.history().size() >= 4);

      assertThat(mixed.published())
          .extracting(ServingLoopTest::versions)
          .containsExactly( // the harness gives the responses to the variants in turn
              List.of(7L, 5L, 4L, 7L),
              List.of(3L, 1L, 0L, 3L),
              List.of(11L, 9L, 8L, 11L),
              List.of(0L, 0L, 0L, 0L));
    }
  }

  @Test
  void turnWaitsUntilItHoldsTheVersionOfEveryVariant() throws InterruptedException {
    try (LoopHarness mixed = new LoopHarness(4, mixture(), prompts(0))) {
      mixed.appendVersion(7);
      mixed.appendPrompt(0, PromptTasks.task(0));
      mixed.turn(5);
      assertThat(mixed.sampledGroups).isEmpty();
      assertThat(mixed.loop.status().waitingFor()).isEqualTo("policy version 5");

      mixed.appendVersion(5);
      mixed.turn(5);
      assertThat(mixed.loop.status().waitingFor()).isEqualTo("policy version 4");

      mixed.appendVersion(4);
      mixed.turnUntil(() -> mixed.producer.history().size() >= 1);
      assertThat(versions(mixed.published().get(0))).containsExactly(7L, 5L, 4L, 7L);
    }
  }

  @Test
  void turnOffersTheWeightsThatArriveWhileAGroupIsSampled() throws InterruptedException {
    harness.samplingAllowed.drainPermits();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turn(3);
    harness.appendVersion(1);
    harness.appendVersion(2);
    harness.turnUntil(() -> harness.arrivedWhileSampling.contains(2L));
    assertThat(harness.producer.history()).isEmpty();

    harness.samplingAllowed.release();
    turnUntilPublished(1);
  }

  @Test
  void turnSamplesWithTheNewestVersionWhenNoneIsNamed() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendVersion(1);
    harness.turn(2);
    harness.appendPrompt(0, PromptTasks.task(0));
    turnUntilPublished(1);

    assertThat(version(harness.published().get(0))).isEqualTo(1);
  }

  @Test
  void turnWaitsForTheOldestVersionThatIsAllowed() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.builder(0).setMinPolicyVersion(2).build());
    harness.turn(5);

    assertThat(harness.loop.status().waitingFor()).isEqualTo("policy version >= 2");

    harness.appendVersion(3);
    turnUntilPublished(1);

    assertThat(version(harness.published().get(0))).isEqualTo(3);
  }

  @Test
  void turnPublishesWhatIsFinishedWhileOtherPromptsWait() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, exact(0, 0));
    harness.appendPrompt(0, exact(8, 1));
    harness.appendPrompt(1, exact(1, 1));
    turnUntilPublished(1);

    assertThat(harness.committed()).isEqualTo(Map.of(prompts(0), 1L));
  }

  @Test
  void turnTakesPromptsOfFreePartitionsWhileOtherPromptsWait() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, exact(0, 7));
    harness.turn(3);
    harness.appendPrompt(1, exact(1, 0));
    turnUntilPublished(1);

    assertThat(harness.sampledGroups).containsExactly(1L);
  }

  @Test
  void turnClosesItsPartitionsWhileItSamples() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turnUntil(() -> harness.loop.status().waitingFor().isEmpty());

    assertThat(harness.prompts.paused()).containsExactlyInAnyOrder(prompts(0), prompts(1));

    turnUntilPublished(1);

    assertThat(harness.prompts.paused()).isEmpty();
  }

  @Test
  void turnPublishesAFailureWhenATaskCannotBeServed() throws InterruptedException {
    harness.appendPrompt(0, PromptTasks.builder(0).setReward("judge").build());
    turnUntilPublished(1);

    assertThat(harness.published().get(0).getFailure()).startsWith("reward: judge");
    assertThat(harness.committed()).isEqualTo(Map.of(prompts(0), 1L));
    assertThat(harness.loop.status().groupsFailed()).isEqualTo(1);
  }

  @Test
  void turnPassesOverPromptsThatAreUndecodableOrOfAnotherRun() throws InterruptedException {
    harness.appendPrompt(0, new byte[] {1, 2, 3});
    harness.appendPrompt(0, PromptTasks.builder(0).setRunId("run-b").build());
    harness.turnUntil(() -> harness.committed().equals(Map.of(prompts(0), 2L)));

    assertThat(harness.producer.history()).isEmpty();
    assertThat(harness.loop.status().promptsSkipped()).isEqualTo(2);
  }

  @Test
  void turnSendsTheSameGroupAgainWhenATransactionIsAborted() throws InterruptedException {
    harness.producer.sendOffsetsToTransactionException = new CommitFailedException();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turnUntil(() -> harness.loop.status().transactionsAborted() > 0);
    assertThat(harness.producer.history()).isEmpty();

    harness.producer.sendOffsetsToTransactionException = null;
    turnUntilPublished(1);

    assertThat(harness.sampledGroups).containsExactly(0L);
  }

  /** The broker takes less than a group has, and nobody can know before. */
  @Test
  void turnPublishesTheFailureOfAGroupThatTheBrokerFindsTooLarge() throws InterruptedException {
    harness.producer.refuseAbove(300);
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    turnUntilPublished(1);

    RolloutGroup failed = harness.published().get(0);
    assertThat(failed.getFailure()).contains("bytes, more than topic rollouts takes");
    assertThat(failed.getResponses()).isEmpty();
    assertThat(harness.committed()).isEqualTo(Map.of(prompts(0), 1L));
    assertThat(harness.loop.status().groupsFailed()).isEqualTo(1);
  }

  @Test
  void turnThrowsWhenTheBrokerStaysAwayWhileNothingIsPublished() throws InterruptedException {
    harness.snapshots.leaveUnanswered(3);
    harness.clock.advance(BrokerProbe.PERIOD_MS);
    harness.loop.turn();
    assertThat(harness.loop.status().waitingFor()).isEqualTo("broker");
    harness.clock.advance(BrokerProbe.PERIOD_MS);
    harness.loop.turn();
    harness.clock.advance(BrokerProbe.PERIOD_MS);

    assertThatThrownBy(harness.loop::turn)
        .isInstanceOf(UnavailableException.class)
        .hasMessage("the broker has failed for 10 s: no answer");
  }

  @Test
  void turnGoesOnWhenTheBrokerIsBack() throws InterruptedException {
    harness.snapshots.leaveUnanswered(1);
    for (int period = 0; period < 5; period++) {
      harness.clock.advance(BrokerProbe.PERIOD_MS);
      harness.loop.turn();
    }

    assertThat(harness.loop.status().waitingFor()).isEqualTo("prompts");
  }

  /**
   * The first read again is not forgotten because the broker does not say where the topic begins.
   */
  @Test
  void turnReadsTheLogAgainWhenTheBrokerIsAwayAtFirst() throws InterruptedException {
    for (int version = 0; version < 6; version++) {
      harness.appendVersion(version);
    }
    harness.turn(2);
    harness.snapshots.leaveUnanswered(2);
    harness.appendPrompt(0, exact(0, 1));
    turnUntilPublished(1);

    assertThat(version(harness.published().get(0))).isEqualTo(1);
  }

  @Test
  void turnAsksForTheStartsOfNewPartitionsUntilTheBrokerAnswers() throws InterruptedException {
    harness.own();
    harness.prompts.leaveUnanswered(3);
    harness.own(prompts(0));
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    turnUntilPublished(1);

    assertThat(harness.committed()).isEqualTo(Map.of(prompts(0), 1L));
  }

  @Test
  void turnDropsResultsOfAPartitionThatWasGivenAway() throws InterruptedException {
    harness.producer.sendOffsetsToTransactionException = new CommitFailedException();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.appendPrompt(1, PromptTasks.task(1));
    harness.turnUntil(() -> harness.loop.status().transactionsAborted() > 0);

    harness.own(prompts(1));
    harness.producer.sendOffsetsToTransactionException = null;
    turnUntilPublished(1);

    assertThat(harness.published()).extracting(RolloutGroup::getGroupId).containsExactly(1L);
    assertThat(harness.committed()).isEqualTo(Map.of(prompts(1), 1L));
  }

  @Test
  void turnDropsTheGroupInHandWhenItsPartitionWasGivenAway() throws InterruptedException {
    harness.samplingAllowed.drainPermits();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turnUntil(() -> harness.loop.status().waitingFor().isEmpty());
    harness.own(prompts(1));
    harness.samplingAllowed.release();
    harness.turnUntil(() -> harness.loop.status().groupsDropped() == 1);

    assertThat(harness.producer.history()).isEmpty();
    assertThat(harness.committed()).isEmpty();
  }

  @Test
  void turnDoesNotPublishWhileANoteOfAStartIsUnderWay() throws InterruptedException {
    harness.prompts.holdCommits();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turnUntil(() -> harness.loop.status().waitingFor().equals("broker"));
    harness.turn(3);
    assertThat(harness.producer.history()).isEmpty();

    harness.prompts.completeCommits();
    turnUntilPublished(1);
  }

  @Test
  void turnThrowsWhenAnotherProcessTookOver() throws InterruptedException {
    harness.producer.commitTransactionException = new ProducerFencedException("epoch 1 < 2");
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));

    assertThatThrownBy(() -> turnUntilPublished(1)).isInstanceOf(FencedException.class);
  }

  @Test
  void turnNotesTheStartOfAPromptBeforeItIsSampled() throws InterruptedException {
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    turnUntilPublished(1);

    assertThat(harness.marksWhileSampling).containsExactly(StartCount.toMetadata(1));
  }

  @Test
  void turnGivesAPromptUpWhenItWasStartedTooOften() throws InterruptedException {
    harness.own();
    harness.prompts.rebalance(List.of(prompts(0)));
    harness.prompts.commitSync(
        Map.of(prompts(0), new OffsetAndMetadata(0, StartCount.toMetadata(3))));
    harness.own();
    harness.own(prompts(0));
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.appendPrompt(0, PromptTasks.task(8));
    turnUntilPublished(2);

    assertThat(harness.published().get(0).getFailure())
        .isEqualTo("sampling was started 3 times and never finished");
    assertThat(harness.sampledGroups).containsExactly(8L);
    assertThat(harness.producer.commitCount()).isEqualTo(2);
  }

  @Test
  void leavePublishesWhatIsFinishedAndWithdrawsTheRest() throws InterruptedException {
    harness.producer.sendOffsetsToTransactionException = new CommitFailedException();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.appendPrompt(1, exact(1, 7));
    harness.turnUntil(() -> harness.loop.status().transactionsAborted() > 0);
    harness.producer.sendOffsetsToTransactionException = null;
    harness.loop.leave();

    assertThat(harness.published()).extracting(RolloutGroup::getGroupId).containsExactly(0L);
    assertThat(harness.prompts.committed(java.util.Set.of(prompts(1))).get(prompts(1)).metadata())
        .isEqualTo(StartCount.toMetadata(0));
  }

  /** Sampling is still under way when the producer is asked to end. */
  @Test
  void leaveGivesTheGroupInHandBackUnpublished() throws InterruptedException {
    harness.samplingAllowed.drainPermits();
    harness.appendVersion(0);
    harness.appendPrompt(0, PromptTasks.task(0));
    harness.turnUntil(() -> harness.loop.status().waitingFor().isEmpty());
    harness.turn(2); // the note of the start is committed
    assertThat(metadata()).isEqualTo(StartCount.toMetadata(1));
    harness.loop.leave();
    harness.close();

    assertThat(harness.abandoned).isTrue();
    assertThat(harness.producer.history()).isEmpty();
    assertThat(harness.committed()).isEmpty();
    assertThat(metadata()).isEqualTo(StartCount.toMetadata(0));
  }

  private String metadata() {
    return harness.prompts.committed(java.util.Set.of(prompts(0))).get(prompts(0)).metadata();
  }
}
