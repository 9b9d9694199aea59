package org.p3ostream.learner.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.schemas.avro.StepKind;

class StepCommitterTest {

  private static final TopicPartition ROLLOUTS = new TopicPartition("rollouts", 0);
  private static final PreparedEvent PREPARED =
      new PreparedEvent(
          StepEvents.event(StepKind.STEP, 17, 3, "h").build(),
          "hash",
          List.of(record("steps", "event"), record("snapshots", "chunk"), record("prompts", "p")),
          Map.of(ROLLOUTS, new OffsetAndMetadata(5)));

  private static final ConsumerGroupMetadata GROUP =
      new MockConsumer<byte[], byte[]>("earliest").groupMetadata();

  private final FaultyProducer producer = new FaultyProducer();
  private final StepCommitter committer = new StepCommitter(producer, GROUP);

  StepCommitterTest() {
    committer.initialize();
  }

  @Test
  void initializeFencesOlderLearners() {
    assertThat(producer.transactionInitialized()).isTrue();
  }

  @Test
  void commitSendsRecordsInOrderAndTheOffsetsInOneTransaction() {
    CommittedEvent committed = committer.commit(PREPARED);
    assertThat(committed.millis()).isNotNegative();
    assertThat(committed.records())
        .extracting(RecordMetadata::topic)
        .containsExactly("steps", "snapshots", "prompts");
    requireCommittedOnce();
  }

  @Test
  void commitTellsOfEveryStageOnBothSides() {
    List<String> told = new ArrayList<>();
    StageListener listener =
        new StageListener() {
          @Override
          public void before(Stage stage) {
            told.add("before-" + stage + " " + producer.uncommittedRecords().size());
          }

          @Override
          public void after(Stage stage) {
            told.add("after-" + stage + " " + producer.history().size());
          }
        };
    new StepCommitter(producer, GROUP, listener).commit(PREPARED);
    assertThat(told)
        .containsExactly(
            "before-begin 0",
            "after-begin 0",
            "before-send 0",
            "after-send 0",
            "before-offsets 3",
            "after-offsets 0",
            "before-commit 3",
            "after-commit 3");
  }

  static Stream<Fault> transientFaults() {
    return Stream.of(Fault.SEND, Fault.DELIVERY, Fault.OFFSETS);
  }

  @ParameterizedTest
  @MethodSource("transientFaults")
  void commitSendsTheSameBytesAgainAfterAnAbort(Fault fault) {
    producer.fail(fault, new KafkaException("lost"), 3);
    committer.commit(PREPARED);
    assertThat(producer.aborts).isEqualTo(3);
    requireCommittedOnce();
  }

  @ParameterizedTest
  @MethodSource("transientFaults")
  void commitGivesUpAfterFiveAbortsWithNothingCommitted(Fault fault) {
    producer.fail(fault, new KafkaException("lost"), 9);
    assertThatThrownBy(() -> committer.commit(PREPARED))
        .isInstanceOf(KafkaException.class)
        .hasMessageContaining("lost");
    assertThat(producer.aborts).isEqualTo(5);
    assertThat(producer.history()).isEmpty();
    assertThat(producer.transactionInFlight()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("everyFault")
  void commitSaysFencedWhenAnotherLearnerTookOver(Fault fault) {
    for (KafkaException refusal :
        List.of(
            new ProducerFencedException("old"),
            new InvalidProducerEpochException("old"),
            new InvalidTxnStateException("aborted for another"),
            new KafkaException("in an error state", new ProducerFencedException("old")))) {
      FaultyProducer fenced = new FaultyProducer();
      StepCommitter old = new StepCommitter(fenced, GROUP);
      old.initialize();
      if (fault == Fault.ABORT) {
        fenced.fail(Fault.SEND, new KafkaException("lost"), 1);
      }
      fenced.fail(fault, refusal, 1);
      assertThatThrownBy(() -> old.commit(PREPARED))
          .as("%s at %s", refusal, fault)
          .isInstanceOf(FencedException.class)
          .hasCause(refusal);
      assertThat(fenced.history()).isEmpty();
    }
  }

  static Stream<Fault> everyFault() {
    return Stream.of(Fault.values());
  }

  @Test
  void commitThrowsWhatTheAbortThrewWithItsCause() {
    KafkaException lost = new KafkaException("lost");
    producer.fail(Fault.SEND, lost, 1);
    producer.fail(Fault.ABORT, new KafkaException("fatal"), 1);
    assertThatThrownBy(() -> committer.commit(PREPARED))
        .isInstanceOf(KafkaException.class)
        .hasMessage("fatal")
        .hasSuppressedException(lost);
  }

  @Test
  void commitAsksAgainWhenItsAnswerTimesOut() {
    producer.fail(Fault.COMMIT, new TimeoutException("slow"), 4);
    committer.commit(PREPARED);
    assertThat(producer.commits).isEqualTo(5);
    assertThat(producer.aborts).isZero();
    requireCommittedOnce();
  }

  @Test
  void commitEndsWithAnUnknownOutcomeWhenItIsNeverAnswered() {
    producer.fail(Fault.COMMIT, new TimeoutException("slow"), 9);
    assertThatThrownBy(() -> committer.commit(PREPARED))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContaining("step 17");
    assertThat(producer.commits).isEqualTo(5);
    assertThat(producer.aborts).isZero();
  }

  @Test
  void commitEndsWithAnUnknownOutcomeWhenItFailsOtherwise() {
    producer.fail(Fault.COMMIT, new KafkaException("broken"), 1);
    assertThatThrownBy(() -> committer.commit(PREPARED))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasRootCauseMessage("broken");
    assertThat(producer.commits).isEqualTo(1);
    assertThat(producer.aborts).isZero();
  }

  private void requireCommittedOnce() {
    assertThat(producer.commitCount()).isEqualTo(1);
    assertThat(producer.history()).isEqualTo(PREPARED.records());
    assertThat(producer.consumerGroupOffsetsHistory())
        .containsExactly(Map.of(GROUP.groupId(), Map.of(ROLLOUTS, new OffsetAndMetadata(5))));
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, String value) {
    return new ProducerRecord<>(topic, 0, new byte[] {1}, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Where a transaction can fail. */
  enum Fault {
    BEGIN,
    SEND,
    DELIVERY,
    OFFSETS,
    COMMIT,
    ABORT
  }

  /** Kafka's own mock, which fails where and as often as it is told. */
  private static final class FaultyProducer extends MockProducer<byte[], byte[]> {
    private final Map<Fault, Deque<KafkaException>> faults = new EnumMap<>(Fault.class);
    private int aborts;
    private boolean aborting;
    private int commits;

    FaultyProducer() {
      super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void fail(Fault fault, KafkaException exception, int times) {
      Deque<KafkaException> due = faults.computeIfAbsent(fault, any -> new ArrayDeque<>());
      for (int i = 0; i < times; i++) {
        due.add(exception);
      }
    }

    private KafkaException next(Fault fault) {
      return faults.getOrDefault(fault, new ArrayDeque<>()).poll();
    }

    private void throwIfDue(Fault fault) {
      KafkaException due = next(fault);
      if (due != null) {
        throw due;
      }
    }

    @Override
    public void beginTransaction() {
      throwIfDue(Fault.BEGIN);
      super.beginTransaction();
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (record.topic().equals("prompts")) {
        throwIfDue(Fault.SEND);
      }
      return super.send(record, callback);
    }

    @Override
    public synchronized void flush() {
      KafkaException due = aborting ? null : next(Fault.DELIVERY);
      if (due != null) {
        errorNext(due);
      }
      super.flush();
    }

    @Override
    public void sendOffsetsToTransaction(
        Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
      throwIfDue(Fault.OFFSETS);
      super.sendOffsetsToTransaction(offsets, group);
    }

    @Override
    public void commitTransaction() {
      commits++;
      throwIfDue(Fault.COMMIT);
      super.commitTransaction();
    }

    @Override
    public void abortTransaction() {
      aborts++;
      throwIfDue(Fault.ABORT);
      aborting = true; // the mock flushes while it aborts
      super.abortTransaction();
      aborting = false;
    }
  }
}
