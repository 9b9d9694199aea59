package org.p3ostream.learner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.serde.RecordCodec;

class LedgerReaderTest {

  private static final TopicPartition PARTITION = new TopicPartition("steps", 0);
  private static final int EVENTS = 3;

  private final RecordCodec codec = InMemorySerde.codec();
  private final Steps steps = new Steps();
  private final List<Long> read = new ArrayList<>();

  /** Events that are there, of a broker that goes away once it has said so. */
  private static final class Steps extends MockConsumer<byte[], byte[]> {
    private int silentPolls;
    private int answersEvery = 1; // so many probes once
    private int probes;
    private int polls;

    Steps() {
      super("earliest");
      updateBeginningOffsets(Map.of(PARTITION, 0L));
      updateEndOffsets(Map.of(PARTITION, (long) EVENTS));
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      assertThat(++polls).as("polls").isLessThan(10_000);
      return polls <= silentPolls ? ConsumerRecords.empty() : super.poll(timeout);
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      if (++probes % answersEvery != 0) {
        throw new TimeoutException("no answer within " + timeout);
      }
      return super.endOffsets(partitions, timeout);
    }
  }

  private void readAll() {
    steps.schedulePollTask(
        () -> {
          for (int step = 0; step < EVENTS; step++) {
            StepEvent event = StepEvents.event(StepKind.NO_OP, step, 0, EventHash.NONE).build();
            byte[] value = codec.encode(PARTITION.topic(), event);
            steps.addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, step, null, value));
          }
        });
    new LedgerReader(steps, codec, PARTITION.topic())
        .readAll((event, hash) -> read.add(event.getStep()));
  }

  @Test
  void readAllHandsOverAllThatIsVisible() {
    readAll();
    assertThat(read).containsExactly(0L, 1L, 2L);
  }

  @Test
  void readAllWaitsForABrokerThatAnswers() {
    steps.silentPolls = 20 * PatientPoll.PATIENCE_POLLS;
    readAll();
    assertThat(read).containsExactly(0L, 1L, 2L);
  }

  @Test
  void readAllWaitsForABrokerThatComesBackInTimeHoweverOftenItGoes() {
    steps.silentPolls = 5 * PatientPoll.PROBES * PatientPoll.PATIENCE_POLLS;
    steps.answersEvery = PatientPoll.PROBES;
    readAll();
    assertThat(read).containsExactly(0L, 1L, 2L);
  }

  @Test
  void readAllEndsWhereTheBrokerStaysAway() {
    steps.silentPolls = Integer.MAX_VALUE;
    steps.answersEvery = Integer.MAX_VALUE;
    assertThatThrownBy(this::readAll)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the broker has not answered for 120 s; a restart continues")
        .hasCauseInstanceOf(TimeoutException.class);
    assertThat(read).isEmpty();
    assertThat(steps.polls).isEqualTo(PatientPoll.PATIENCE_POLLS * PatientPoll.PROBES);
  }
}
