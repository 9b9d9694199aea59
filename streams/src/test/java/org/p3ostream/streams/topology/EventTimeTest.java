package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.streams.fixture.Records.NOW;
import static org.p3ostream.streams.fixture.Records.rollout;
import static org.p3ostream.streams.fixture.Records.step;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RolloutGroup;

class EventTimeTest {
  private static final long SENT_AT = NOW + 500;

  @Test
  void ofIsTheEndOfGenerationWhenItIsOfARollout() {
    assertThat(EventTime.of(rollout(1, 0, 1.0), SENT_AT)).isEqualTo(NOW);
  }

  @Test
  void ofIsThePreparationWhenItIsOfALedgerEvent() {
    assertThat(EventTime.of(step(1).setCommittedAt(NOW - 3).build(), SENT_AT)).isEqualTo(NOW - 3);
  }

  @Test
  void ofIsWhenTheRecordWasSentWhenTheClaimLiesAfterIt() {
    RolloutGroup fromTheFuture =
        RolloutGroup.newBuilder(rollout(1, 0, 1.0)).setGeneratedAt(NOW * 1000).build();

    assertThat(EventTime.of(fromTheFuture, SENT_AT)).isEqualTo(SENT_AT);
  }

  @Test
  void ofIsWhenTheRecordWasSentWhenTheClaimIsNegative() {
    assertThat(EventTime.of(step(1).setCommittedAt(-1).build(), SENT_AT)).isEqualTo(SENT_AT);
  }

  @Test
  void sentTimeIsTheTimeOfTheRecord() {
    assertThat(new SentTime().extract(record(SENT_AT), -1)).isEqualTo(SENT_AT);
  }

  @Test
  void sentTimeIsZeroWhenTheRecordHasNone() {
    assertThat(new SentTime().extract(record(-1), -1)).isZero();
  }

  private static ConsumerRecord<Object, Object> record(long sentAt) {
    return new ConsumerRecord<>(
        "topic",
        0,
        0,
        sentAt,
        TimestampType.CREATE_TIME,
        0,
        0,
        new byte[0],
        new byte[0],
        new RecordHeaders(),
        Optional.empty());
  }
}
