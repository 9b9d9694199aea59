package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.query.DeadLettersAnswer;

class DeadLettersTest {
  private final TopologyUnderTest topology = new TopologyUnderTest();

  @AfterEach
  void close() {
    topology.close();
  }

  @Test
  void lettersAreCountedByReason() {
    topology.deadLetter(letter(0, RejectionReason.STALE));
    topology.deadLetter(letter(1, RejectionReason.STALE));
    topology.deadLetter(letter(2, RejectionReason.NON_FINITE));

    assertThat(topology.points())
        .extracting(
            MetricPoint::getName,
            point -> point.getLabels().get(Metric.REASON_LABEL),
            MetricPoint::getValue)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("rollout/dead_letters", "STALE", 2.0),
            org.assertj.core.groups.Tuple.tuple("rollout/dead_letters", "NON_FINITE", 1.0));
    assertThat(answer().total()).isEqualTo(3);
  }

  @Test
  void aRecordIsCountedOnceHoweverManyLettersThereAreAboutIt() {
    topology.deadLetter(letter(7, RejectionReason.STALE));
    topology.deadLetter(letter(7, RejectionReason.STALE));
    topology.deadLetter(letter(7, RejectionReason.NON_FINITE));

    assertThat(answer().reasons())
        .containsExactly(new DeadLettersAnswer.Reason("STALE", 1, Records.NOW - 1));
  }

  @Test
  void recordsOfOtherPartitionsAndTopicsAreOthers() {
    topology.deadLetter(letter(7, RejectionReason.STALE));
    topology.deadLetter(
        DeadLetter.newBuilder(letter(7, RejectionReason.STALE)).setSourcePartition(1).build());
    topology.deadLetter(
        DeadLetter.newBuilder(letter(7, RejectionReason.STALE)).setSourceTopic("other").build());

    assertThat(answer().total()).isEqualTo(3);
  }

  @Test
  void nothingIsWrittenWhenNothingChanged() {
    topology.deadLetter(letter(7, RejectionReason.STALE));
    assertThat(topology.points()).hasSize(1);

    topology.deadLetter(letter(7, RejectionReason.STALE));

    assertThat(topology.points()).isEmpty();
  }

  @Test
  void lettersOfAnotherRunUnreadableOnesAndOtherRecordsArePassedOver() {
    topology.deadLetter(
        DeadLetter.newBuilder(letter(7, RejectionReason.STALE)).setRunId("run-b").build());
    topology.deadLetterBytes(new byte[] {1, 2});
    topology.deadLetter(Records.step(0).build());

    assertThat(topology.points()).isEmpty();
    assertThat(topology.passedOver("FOREIGN_RUN")).isEqualTo(1);
    assertThat(topology.passedOver("UNDECODABLE")).isEqualTo(1);
    assertThat(topology.passedOver("WRONG_RECORD_TYPE")).isEqualTo(1);
  }

  @Test
  void coordinatesAreForgottenFromTheLowestOffsetOn() {
    int letters = DeadLetterAccounting.SOURCES_KEPT + 500;
    for (int offset = 0; offset < letters; offset++) {
      topology.deadLetter(letter(offset, RejectionReason.STALE));
    }
    topology.deadLetter(letter(letters - 1, RejectionReason.STALE));

    assertThat(answer().total()).isEqualTo(letters);
    assertThat(topology.stored(TopologyStores.DEAD_LETTER_SOURCES))
        .isLessThanOrEqualTo(DeadLetterAccounting.SOURCES_KEPT);
  }

  private DeadLettersAnswer answer() {
    return topology.queries(Clock.systemUTC()).deadLetters();
  }

  private static DeadLetter letter(long offset, RejectionReason reason) {
    return DeadLetter.newBuilder()
        .setRunId(Records.RUN)
        .setSourceTopic("p3o.rollouts")
        .setSourcePartition(0)
        .setSourceOffset(offset)
        .setReason(reason)
        .setCause("because")
        .setValueBytes(300)
        .setRejectedAt(Records.NOW - 1)
        .build();
  }
}
