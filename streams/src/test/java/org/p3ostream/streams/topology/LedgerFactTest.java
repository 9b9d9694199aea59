package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.streams.fixture.Records.step;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;

class LedgerFactTest {
  private static final JsonSerde<LedgerFact> SERDE = new JsonSerde<>(LedgerFact.class);

  @Test
  void consumptionIsReadFromEventsOfBothKinds() {
    PartitionProgress old = new PartitionProgress(2, 3L, List.of(5L, 6L), List.of());
    PartitionProgress now =
        new PartitionProgress(2, 3L, List.of(), List.of(new OffsetRange(5L, 6L)));
    for (PartitionProgress progress : List.of(old, now)) {
      requireConsumption(fact(progress));
      requireConsumption(read(new String(written(fact(progress)), StandardCharsets.UTF_8)));
    }
  }

  private static void requireConsumption(LedgerFact fact) {
    assertThat(fact.consumed(new Coordinate(2, 2))).isTrue();
    assertThat(fact.consumed(new Coordinate(2, 4))).isFalse();
    assertThat(fact.consumed(new Coordinate(2, 5))).isTrue();
    assertThat(fact.consumed(new Coordinate(2, 6))).isTrue();
    assertThat(fact.consumed(new Coordinate(2, 7))).isFalse();
    assertThat(fact.consumed(new Coordinate(1, 5))).isFalse();
  }

  private static LedgerFact fact(PartitionProgress progress) {
    return LedgerFact.of(0, step(0).setProgress(List.of(progress)).build(), 0);
  }

  private static byte[] written(LedgerFact fact) {
    return SERDE.serializer().serialize("t", fact);
  }

  private static LedgerFact read(String json) {
    return SERDE.deserializer().deserialize("t", json.getBytes(StandardCharsets.UTF_8));
  }
}
