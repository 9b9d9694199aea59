package org.p3ostream.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;

class ConsumedOffsetsTest {

  @Test
  void eventsOfBothKindsAreRead() {
    ConsumedOffsets old =
        new ConsumedOffsets(new PartitionProgress(0, 3L, List.of(5L, 6L, 9L), List.of()));
    ConsumedOffsets now =
        new ConsumedOffsets(
            new PartitionProgress(
                0, 3L, List.of(), List.of(new OffsetRange(5L, 6L), new OffsetRange(9L, 9L))));
    assertThat(old.ranges()).isEqualTo(now.ranges());
    assertThat(old.nextOffset()).isEqualTo(3);
    for (ConsumedOffsets consumed : List.of(old, now)) {
      assertThat(consumed.covers(2)).isTrue();
      assertThat(consumed.covers(3)).isFalse();
      assertThat(consumed.covers(6)).isTrue();
      assertThat(consumed.covers(7)).isFalse();
      assertThat(consumed.covers(9)).isTrue();
      assertThat(consumed.covers(10)).isFalse();
    }
  }

  @Test
  void rangesThatTouchOrOverlapBecomeOne() {
    ConsumedOffsets consumed =
        new ConsumedOffsets(
            4,
            List.of(
                new OffsetRange(8L, 9L),
                new OffsetRange(1L, 5L),
                new OffsetRange(6L, 7L),
                new OffsetRange(12L, 20L),
                new OffsetRange(14L, 15L)));
    assertThat(consumed.ranges())
        .containsExactly(new OffsetRange(4L, 9L), new OffsetRange(12L, 20L));
  }

  @Test
  void aRangeThatEndsBeforeItBeginsIsRefused() {
    assertThatThrownBy(() -> new ConsumedOffsets(0, List.of(new OffsetRange(5L, 4L))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("5..4");
  }

  @Test
  void randomRangesCoverWhatTheirUnionDoes() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long nextOffset = random.nextInt(20);
      TreeSet<Long> union = new TreeSet<>();
      List<OffsetRange> ranges = new ArrayList<>();
      for (int i = 0; i < random.nextInt(8); i++) {
        long from = random.nextInt(40);
        long to = from + random.nextInt(6);
        ranges.add(new OffsetRange(from, to));
        for (long offset = from; offset <= to; offset++) {
          union.add(offset);
        }
      }
      ConsumedOffsets consumed = new ConsumedOffsets(nextOffset, ranges);
      for (long offset = 0; offset < 50; offset++) {
        assertThat(consumed.covers(offset))
            .as("seed %d, offset %d", seed, offset)
            .isEqualTo(offset < nextOffset || union.contains(offset));
      }
      List<OffsetRange> listed = consumed.ranges();
      for (int i = 1; i < listed.size(); i++) {
        assertThat(listed.get(i).getFromOffset())
            .as("seed %d: %s", seed, listed)
            .isGreaterThan(listed.get(i - 1).getToOffset() + 1);
      }
    }
  }
}
