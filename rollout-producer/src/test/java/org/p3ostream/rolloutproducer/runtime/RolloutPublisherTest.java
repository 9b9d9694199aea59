package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.backlog.FinishedBatch;

/** The order of calls; what a broker makes of them is tested with a broker. */
class RolloutPublisherTest {

  private static final TopicPartition PROMPTS = new TopicPartition("prompts", 0);

  private static final RolloutPublisher.Outcome COMMITTED =
      new RolloutPublisher.Outcome.Committed();
  private static final RolloutPublisher.Outcome ABORTED =
      new RolloutPublisher.Outcome.Aborted(List.of());

  private final RefusingProducer producer = new RefusingProducer();
  private final ConsumerGroupMetadata group =
      new MockConsumer<byte[], byte[]>("earliest").groupMetadata();
  private final FinishedBatch<EncodedGroup> batch =
      new FinishedBatch<>(
          List.of(
              new EncodedGroup(
                  new ProducerRecord<>("rollouts", 0, new byte[] {1}, new byte[] {2}),
                  1,
                  3,
                  false)),
          Map.of(PROMPTS, new OffsetAndMetadata(5)));
  private final RolloutPublisher publisher =
      new RolloutPublisher(
          producer,
          "p3o.producer-1",
          new Outage("the broker", 1_000),
          new Outage("publishing", 1_000),
          Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

  private RolloutPublisher publisher(Clock clock) {
    return new RolloutPublisher(
        producer, "id", new Outage("the broker", 1_000), new Outage("publishing", 1_000), clock);
  }

  @BeforeEach
  void start() {
    publisher.start();
  }

  @Test
  void publishCommitsGroupsAndOffsetsTogether() {
    assertThat(publisher.publish(batch, group)).isEqualTo(COMMITTED);

    assertThat(producer.history()).containsExactly(batch.results().get(0).record());
    assertThat(producer.consumerGroupOffsetsHistory())
        .containsExactly(Map.of(group.groupId(), batch.nextOffsets()));
    assertThat(producer.commitCount()).isEqualTo(1);
  }

  @Test
  void publishLeavesNothingVisibleWhenTheGroupHasMovedOn() {
    producer.sendOffsetsToTransactionException = new CommitFailedException();

    assertThat(publisher.publish(batch, group)).isEqualTo(ABORTED);

    assertThat(producer.transactionAborted()).isTrue();
    assertThat(producer.history()).isEmpty();
    assertThat(producer.consumerGroupOffsetsHistory()).isEmpty();
  }

  @Test
  void publishSendsTheSameBytesAgainAfterAnAbort() {
    producer.sendOffsetsToTransactionException = new CommitFailedException();
    publisher.publish(batch, group);
    producer.sendOffsetsToTransactionException = null;

    assertThat(publisher.publish(batch, group)).isEqualTo(COMMITTED);
    assertThat(producer.history()).containsExactly(batch.results().get(0).record());
  }

  @Test
  void publishThrowsFencedWhenAnotherProcessTookOver() {
    producer.commitTransactionException = new ProducerFencedException("epoch 3 < 4");

    assertThatThrownBy(() -> publisher.publish(batch, group))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("'p3o.producer-1' is refused")
        .hasMessageContaining("producer.id")
        .hasMessageContaining("transaction.timeout.ms");
  }

  @Test
  void publishThrowsFencedWhenThatIsNoticedWhileAborting() {
    producer.sendOffsetsToTransactionException = new CommitFailedException();
    producer.abortTransactionException = new ProducerFencedException("epoch 3 < 4");

    assertThatThrownBy(() -> publisher.publish(batch, group)).isInstanceOf(FencedException.class);
  }

  @Test
  void publishRepeatsTheCommitAndNothingElseWhenItTimesOut() {
    Clock ticking = new SteppingClock(400);
    RolloutPublisher patient = publisher(ticking);
    producer.commitTransactionException = new TimeoutException("no answer");

    assertThatThrownBy(() -> patient.publish(batch, group))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("the broker has failed for 1 s: no answer");
    assertThat(producer.transactionAborted()).isFalse();
    assertThat(producer.transactionInFlight()).isTrue();
  }

  /** What a broker says to a group that is too large, or to a producer without a permission. */
  @Test
  void publishThrowsWhenEveryTransactionAbortsAsLongAsTheDeadline() {
    SteppingClock clock = new SteppingClock(0);
    RolloutPublisher refused = publisher(clock);
    producer.sendException =
        new KafkaException("in an error state", new TopicAuthorizationException("no"));
    refused.publish(batch, group);
    clock.advance(999);
    assertThat(refused.publish(batch, group)).isEqualTo(ABORTED);
    clock.advance(1);

    assertThatThrownBy(() -> refused.publish(batch, group))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("publishing has failed for 1 s: no");
  }

  @Test
  void publishCountsFromAnewAfterACommit() {
    SteppingClock clock = new SteppingClock(0);
    RolloutPublisher refused = publisher(clock);
    producer.sendException = new TopicAuthorizationException("no");
    refused.publish(batch, group);
    producer.sendException = null;
    refused.publish(batch, group);
    clock.advance(1_000);
    producer.sendException = new TopicAuthorizationException("no");

    assertThat(refused.publish(batch, group)).isEqualTo(ABORTED);
  }

  /** Rebalances may be far apart, with nothing to publish in between. */
  @Test
  void publishDoesNotEndTheProducerWhenTheGroupHasMovedOnTwice() {
    SteppingClock clock = new SteppingClock(0);
    RolloutPublisher moved = publisher(clock);
    producer.sendOffsetsToTransactionException = new CommitFailedException();
    moved.publish(batch, group);
    clock.advance(10_000);

    assertThat(moved.publish(batch, group)).isEqualTo(ABORTED);
  }

  @Test
  void publishNamesTheGroupsThatAreTooLarge() {
    producer.refuseAbove(0);

    assertThat(publisher.publish(batch, group))
        .isEqualTo(new RolloutPublisher.Outcome.Aborted(batch.results()));
    assertThat(producer.transactionAborted()).isTrue();
  }
}
