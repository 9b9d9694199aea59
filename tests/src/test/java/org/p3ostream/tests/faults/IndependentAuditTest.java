package org.p3ostream.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SamplingRequest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.faults.IndependentAudit.Verdict;
import org.p3ostream.tests.streams.LedgerEvents;

/** A log of two windows, whole or with one thing wrong. */
class IndependentAuditTest {

  private static final TopicCatalogue TOPICS = new TopicCatalogue("t.");
  private static final int GROUPS = SoakRun.GROUPS_PER_WINDOW;

  private final IndependentAudit audit = new IndependentAudit(TOPICS);
  private String lastHash = EventHash.NONE;
  private int events;

  @Test
  void wholeLogIsWhole() {
    log(window(0), window(1), "", GROUPS * 2);
    assertThat(audit.verdict(digests())).isEqualTo(new Verdict(0, 0, 0, List.of()));
    assertThat(audit.nextWindow()).isEqualTo(2);
  }

  @Test
  void groupThatNoWindowHasIsLost() {
    log(window(0), window(1).subList(0, GROUPS - 1), "", GROUPS * 2);
    assertThat(audit.verdict(digests()).lost()).isEqualTo(1);
  }

  @Test
  void groupOfTwoWindowsIsTrainedTwice() {
    List<WindowEntry> second = new ArrayList<>(window(1));
    second.set(0, window(0).get(0));
    log(window(0), second, "", GROUPS * 2);
    assertThat(audit.verdict(digests()).twice()).isEqualTo(1);
  }

  @Test
  void eventWithAnotherPredecessorBreaksTheChain() {
    log(window(0), window(1), "ff", GROUPS * 2);
    assertThat(audit.verdict(digests()).chainBreaks()).isEqualTo(1);
  }

  @Test
  void recordThatIsPassedAndNeitherTrainedNorSkippedIsNamed() {
    log(window(0), window(1), "", GROUPS * 2 + 1);
    assertThat(audit.verdict(digests()).problems())
        .singleElement()
        .asString()
        .contains("neither trained nor skipped");
  }

  @Test
  void weightsThatDifferFromTheTwinAreNamed() {
    log(window(0), window(1), "", GROUPS * 2);
    assertThat(audit.verdict(List.of(digests().get(0), "other")).problems())
        .singleElement()
        .asString()
        .startsWith("weights after step 1 are");
  }

  private static List<String> digests() {
    return List.of("00".repeat(32), "00".repeat(32));
  }

  /**
   * @param wrongHash put before the predecessor that the last event names
   * @param records rollouts that exist, all of them passed
   */
  private void log(
      List<WindowEntry> first, List<WindowEntry> second, String wrongHash, int records) {
    List<DispatchedGroup> dispatched = new ArrayList<>();
    for (long group = 0; group < GROUPS * 2; group++) {
      dispatched.add(DispatchedGroup.newBuilder().setGroupId(group).setAttempt(0).build());
      take(TOPICS.prompts(), group, prompt(group));
    }
    for (long group = 0; group < records; group++) {
      take(TOPICS.rollouts(), group, rollout(group));
    }
    event(LedgerEvents.genesis(1).setDispatched(dispatched), "");
    event(LedgerEvents.step(0, 2).setWindow(first), "");
    event(LedgerEvents.step(1, 3).setWindow(second).setProgress(passed(records)), wrongHash);
  }

  private void event(StepEvent.Builder event, String wrongHash) {
    byte[] value = {0, 0, 0, 0, 0, (byte) events};
    StepEvent built = event.setPreviousEventHash(wrongHash + lastHash).build();
    audit.take(
        new ConsumerRecord<>(TOPICS.steps().name(), 0, events, null, value),
        new Decoded.Accepted(built));
    lastHash = EventHash.of(value);
    events++;
  }

  private void take(TopicSpec topic, long offset, SpecificRecord record) {
    audit.take(
        new ConsumerRecord<>(topic.name(), 0, offset, null, new byte[0]),
        new Decoded.Accepted(record));
  }

  private static List<PartitionProgress> passed(long nextOffset) {
    return List.of(
        PartitionProgress.newBuilder()
            .setPartition(0)
            .setNextOffset(nextOffset)
            .setConsumedAhead(List.of())
            .build());
  }

  private static List<WindowEntry> window(long index) {
    List<WindowEntry> entries = new ArrayList<>();
    for (long group = index * GROUPS; group < (index + 1) * GROUPS; group++) {
      entries.add(
          WindowEntry.newBuilder()
              .setPartition(0)
              .setRecordOffset(group)
              .setGroupId(group)
              .setAttempt(0)
              .setPolicyVersion(0)
              .build());
    }
    return entries;
  }

  private static RolloutGroup rollout(long group) {
    return RolloutGroup.newBuilder()
        .setRunId("r")
        .setGroupId(group)
        .setWindowIndex(group / GROUPS)
        .setAttempt(0)
        .setPromptId("p")
        .setPromptTokens(List.of())
        .setSamplesPerGroup(0)
        .setModelHash("")
        .setTokenizerHash("")
        .setProducerId("1")
        .setGeneratedAt(0)
        .setGenerationMillis(0)
        .setResponses(List.of())
        .build();
  }

  private static PromptTask prompt(long group) {
    return PromptTask.newBuilder()
        .setRunId("r")
        .setWindowIndex(group / GROUPS)
        .setSlot((int) (group % GROUPS))
        .setGroupId(group)
        .setAttempt(0)
        .setPromptId("p")
        .setPrompt("1=")
        .setReferenceAnswer("1")
        .setReward("exact-match")
        .setSamplesPerGroup(1)
        .setSampling(new SamplingRequest(1.0, 0, 1.0, 0.0, 1.0, 9, List.of()))
        .setSeed(1)
        .setMinPolicyVersion(0)
        .build();
  }
}
