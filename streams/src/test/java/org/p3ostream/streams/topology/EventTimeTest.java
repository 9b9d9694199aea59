package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.streams.fixture.Records.NOW;
import static org.p3ostream.streams.fixture.Records.rollout;
import static org.p3ostream.streams.fixture.Records.step;

import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;

class EventTimeTest {
  private static final long SENT_AT = NOW + 500;

  @Test
  void extractIsTheEndOfGenerationWhenARolloutIsRead() {
    assertThat(extract(rollout(1, 0, 1.0), SENT_AT)).isEqualTo(NOW);
  }

  @Test
  void extractIsTheCommitWhenALedgerEventIsRead() {
    assertThat(extract(step(1).setCommittedAt(NOW - 3).build(), SENT_AT)).isEqualTo(NOW - 3);
  }

  @Test
  void extractIsTheTimeOfTheRecordWhenTheClaimLiesAfterIt() {
    RolloutGroup fromTheFuture =
        RolloutGroup.newBuilder(rollout(1, 0, 1.0)).setGeneratedAt(NOW * 1000).build();

    assertThat(extract(fromTheFuture, SENT_AT)).isEqualTo(SENT_AT);
  }

  @Test
  void extractIsTheTimeOfTheRecordWhenTheClaimIsNegative() {
    assertThat(extract(step(1).setCommittedAt(-1).build(), SENT_AT)).isEqualTo(SENT_AT);
  }

  @Test
  void extractIsTheTimeOfTheRecordWhenItCannotBeRead() {
    Object unreadable = new Decoded.Rejected(RejectionReason.UNDECODABLE, "noise");

    assertThat(new EventTime().extract(record(unreadable, SENT_AT), -1)).isEqualTo(SENT_AT);
  }

  @Test
  void extractIsZeroWhenTheRecordHasNoTime() {
    assertThat(extract(rollout(1, 0, 1.0), -1)).isZero();
  }

  private static long extract(SpecificRecord value, long sentAt) {
    return new EventTime().extract(record(new Decoded.Accepted(value), sentAt), -1);
  }

  private static ConsumerRecord<Object, Object> record(Object value, long sentAt) {
    return new ConsumerRecord<>(
        "topic",
        0,
        0,
        sentAt,
        TimestampType.CREATE_TIME,
        0,
        0,
        new byte[0],
        value,
        new RecordHeaders(),
        Optional.empty());
  }
}
