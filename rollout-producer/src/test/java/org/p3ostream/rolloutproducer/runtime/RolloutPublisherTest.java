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
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.backlog.FinishedBatch;

/** The order of calls; what a broker makes of them is tested with a broker. */
class RolloutPublisherTest {

  private static final TopicPartition PROMPTS = new TopicPartition("prompts", 0);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
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
          Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

  @BeforeEach
  void start() {
    publisher.start();
  }

  @Test
  void publishCommitsGroupsAndOffsetsTogether() {
    assertThat(publisher.publish(batch, group)).isEqualTo(RolloutPublisher.Outcome.COMMITTED);

    assertThat(producer.history()).containsExactly(batch.results().get(0).record());
    assertThat(producer.consumerGroupOffsetsHistory())
        .containsExactly(Map.of(group.groupId(), batch.nextOffsets()));
    assertThat(producer.commitCount()).isEqualTo(1);
  }

  @Test
  void publishLeavesNothingVisibleWhenTheGroupHasMovedOn() {
    producer.sendOffsetsToTransactionException = new CommitFailedException();

    assertThat(publisher.publish(batch, group)).isEqualTo(RolloutPublisher.Outcome.ABORTED);

    assertThat(producer.transactionAborted()).isTrue();
    assertThat(producer.history()).isEmpty();
    assertThat(producer.consumerGroupOffsetsHistory()).isEmpty();
  }

  @Test
  void publishSendsTheSameBytesAgainAfterAnAbort() {
    producer.sendOffsetsToTransactionException = new CommitFailedException();
    publisher.publish(batch, group);
    producer.sendOffsetsToTransactionException = null;

    assertThat(publisher.publish(batch, group)).isEqualTo(RolloutPublisher.Outcome.COMMITTED);
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
    RolloutPublisher patient =
        new RolloutPublisher(producer, "id", new Outage("the broker", 1_000), ticking);
    producer.commitTransactionException = new TimeoutException("no answer");

    assertThatThrownBy(() -> patient.publish(batch, group))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("the broker has failed for 1 s: no answer");
    assertThat(producer.transactionAborted()).isFalse();
    assertThat(producer.transactionInFlight()).isTrue();
  }
}
