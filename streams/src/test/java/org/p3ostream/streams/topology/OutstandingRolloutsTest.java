package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.state.PartitionFigures;

/** What happens at the bound, with one of four records. Record n is sent and sampled at n. */
class OutstandingRolloutsTest {
  private static final int BOUND = 4;
  private static final int PARTITION = 0;

  private final KeyValueStore<Coordinate, RolloutFact> records =
      StoreUnderTest.of("records", new CoordinateSerde(), new JsonSerde<>(RolloutFact.class));
  private final KeyValueStore<Integer, PartitionFigures> partitions =
      StoreUnderTest.of("partitions", Serdes.Integer(), new JsonSerde<>(PartitionFigures.class));
  private OutstandingRollouts outstanding;

  @BeforeEach
  void restart() {
    outstanding = new OutstandingRollouts(records, partitions, BOUND);
  }

  @Test
  void whatComesBeyondTheBoundIsCountedAndNotHeld() {
    arrive(0, 9);

    assertThat(held()).isEqualTo(BOUND);
    assertThat(outstanding.seen(Map.of(PARTITION, 9L))).isTrue();
    assertThat(outstanding.at(at(4))).isNull();
    assertThat(afterConsumedBelow(0)).isEqualTo(new OutstandingRollouts.Lag(10, 0L));
  }

  @Test
  void holdingBeginsAgainAtHalfOfTheBound() {
    arrive(0, 9);
    afterConsumedBelow(1);
    arrive(10, 10);
    assertThat(outstanding.at(at(10))).isNull();

    afterConsumedBelow(2);
    restart();
    arrive(11, 11);

    assertThat(outstanding.at(at(11))).isNotNull();
    assertThat(held()).isEqualTo(3);
    assertThat(afterConsumedBelow(2)).isEqualTo(new OutstandingRollouts.Lag(10, 2L));
  }

  @Test
  void ageIsUnknownWhileTheOldestIsNotHeldAndKnownBehindIt() {
    arrive(0, 9);
    assertThat(afterConsumedBelow(5)).isEqualTo(new OutstandingRollouts.Lag(5, null));
    arrive(10, 12);
    assertThat(afterConsumedBelow(9)).isEqualTo(new OutstandingRollouts.Lag(4, null));
    assertThat(afterConsumedBelow(10)).isEqualTo(new OutstandingRollouts.Lag(3, 10L));
    assertThat(afterConsumedBelow(13)).isEqualTo(new OutstandingRollouts.Lag(0, null));
    arrive(13, 13);
    assertThat(afterConsumedBelow(13)).isEqualTo(new OutstandingRollouts.Lag(1, 13L));
  }

  @Test
  void aSecondGapTakesInWhatWasHeldBehindTheFirst() {
    arrive(0, 9);
    afterConsumedBelow(2);
    arrive(10, 11);
    assertThat(held()).isEqualTo(BOUND);

    arrive(12, 12);

    assertThat(held()).isEqualTo(2);
    assertThat(outstanding.at(at(3))).isNotNull();
    assertThat(outstanding.at(at(10))).isNull();
    assertThat(afterConsumedBelow(3)).isEqualTo(new OutstandingRollouts.Lag(10, 3L));
    assertThat(afterConsumedBelow(13)).isEqualTo(new OutstandingRollouts.Lag(0, null));
  }

  private void arrive(long from, long to) {
    for (long offset = from; offset <= to; offset++) {
      outstanding.arrived(RolloutFact.unreadable(at(offset), offset));
    }
  }

  private OutstandingRollouts.Lag afterConsumedBelow(long offset) {
    return outstanding.settle(
        new LedgerFact(
            0,
            StepKind.STEP,
            0,
            0,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(new LedgerFact.Consumption(PARTITION, offset, Set.of(), List.of())),
            List.of(),
            null,
            1_000,
            1_000));
  }

  private long held() {
    return records.approximateNumEntries();
  }

  private static Coordinate at(long offset) {
    return new Coordinate(PARTITION, offset);
  }
}
