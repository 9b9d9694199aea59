package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.Rejection;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.schemas.topic.TopicSpec;

class RolloutSourceTest {

  private static final TopicSpec TOPIC = new TopicSpec("rollouts", 1, Map.of());
  private static final TopicPartition PARTITION = new TopicPartition("rollouts", 0);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final Intake intake =
      new Intake(
          RolloutGroups.RUN_ID,
          RolloutGroups.contract(),
          DynamicSampling.OFF,
          new DispatchBook(),
          2,
          true,
          Map.of(0, new PartitionCursor(0, List.of())));

  /** However many records a poll brings, what an event must list of them is bounded. */
  @Test
  void aPollThatBringsMoreThanAnEventHoldsIsTakenInParts() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    RolloutSource source = new RolloutSource(consumer, InMemorySerde.codec(), TOPIC);
    consumer.setMaxPollRecords(10_000);
    int records = 1234;
    for (int i = 0; i < records; i++) {
      consumer.addRecord(
          new ConsumerRecord<>("rollouts", 0, i, null, "junk".getBytes(StandardCharsets.UTF_8)));
    }
    List<Integer> events = new ArrayList<>();
    long recorded = 0;
    while (recorded < records) {
      source.pollInto(intake, 0);
      List<Rejection> rejections = intake.drainRejections();
      events.add(rejections.size());
      recorded += rejections.size();
      assertThat(intake.cursor(0).nextOffset()).isEqualTo(recorded);
    }
    assertThat(events).containsExactly(500, 500, 234);
  }

  @Test
  void whatWasPolledAndNotTakenIsForgottenWhenTheLearnerGoesBack() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    RolloutSource source = new RolloutSource(consumer, InMemorySerde.codec(), TOPIC);
    consumer.setMaxPollRecords(10_000);
    for (int i = 0; i < 600; i++) {
      consumer.addRecord(new ConsumerRecord<>("rollouts", 0, i, null, new byte[] {1}));
    }
    consumer.updateEndOffsets(Map.of(PARTITION, 600L));
    source.pollInto(intake, 0);
    assertThat(source.hasCaughtUp()).isFalse(); // what is not taken is not lost
    source.resume(List.of(intake.cursor(0).progress(0)));
    intake.drainRejections();
    source.pollInto(intake, 0);
    assertThat(intake.pendingRejections()).isZero();
    assertThat(intake.cursor(0).nextOffset()).isEqualTo(500);
  }
}
