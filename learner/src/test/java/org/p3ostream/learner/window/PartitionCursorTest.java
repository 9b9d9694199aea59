package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PartitionCursorTest {

  @Test
  void nextOffsetStaysAtTheOldestOutstandingRecord() {
    PartitionCursor cursor = new PartitionCursor(0, List.of());
    for (long offset = 0; offset < 4; offset++) {
      assertThat(cursor.observe(offset)).isTrue();
    }
    cursor.settle(1);
    cursor.settle(3);
    assertThat(cursor.nextOffset()).isZero();
    assertThat(cursor.consumedAhead()).containsExactly(1L, 3L);
    cursor.settle(0);
    assertThat(cursor.nextOffset()).isEqualTo(2);
    assertThat(cursor.consumedAhead()).containsExactly(3L);
    cursor.settle(2);
    assertThat(cursor.nextOffset()).isEqualTo(4);
    assertThat(cursor.consumedAhead()).isEmpty();
  }

  @Test
  void nextOffsetStepsOverHolesOfMarkersAndAbortedRecords() {
    PartitionCursor cursor = new PartitionCursor(0, List.of());
    cursor.observe(0);
    cursor.observe(5);
    cursor.settle(0);
    assertThat(cursor.nextOffset()).isEqualTo(5);
    cursor.settle(5);
    cursor.advanceTo(9);
    assertThat(cursor.nextOffset()).isEqualTo(9);
    cursor.advanceTo(3);
    assertThat(cursor.nextOffset()).isEqualTo(9);
  }

  @Test
  void advanceToDoesNotPassAnOutstandingRecord() {
    PartitionCursor cursor = new PartitionCursor(0, List.of());
    cursor.observe(2);
    cursor.advanceTo(10);
    assertThat(cursor.nextOffset()).isEqualTo(2);
  }

  @Test
  void observeSaysThatARecordConsumedAheadIsSettledAfterARestart() {
    PartitionCursor cursor = new PartitionCursor(4, List.of(5L, 8L));
    assertThat(cursor.nextOffset()).isEqualTo(4);
    assertThat(cursor.consumedAhead()).containsExactly(5L, 8L);
    assertThat(cursor.observe(4)).isTrue();
    assertThat(cursor.observe(5)).isFalse();
    assertThat(cursor.observe(7)).isTrue();
    assertThat(cursor.observe(8)).isFalse();
    cursor.settle(7);
    assertThat(cursor.nextOffset()).isEqualTo(4);
    assertThat(cursor.consumedAhead()).containsExactly(5L, 7L, 8L);
    cursor.settle(4);
    assertThat(cursor.nextOffset()).isEqualTo(9);
  }

  @Test
  void observeRefusesAnOffsetBehindThePosition() {
    PartitionCursor cursor = new PartitionCursor(4, List.of());
    cursor.observe(6);
    assertThatThrownBy(() -> cursor.observe(6))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("offset 6")
        .hasMessageContaining("7");
  }

  @Test
  void settleRefusesWhatIsNotOutstanding() {
    PartitionCursor cursor = new PartitionCursor(0, List.of());
    cursor.observe(0);
    cursor.settle(0);
    assertThatThrownBy(() -> cursor.settle(0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("offset 0");
    assertThatThrownBy(() -> cursor.settle(1)).isInstanceOf(IllegalStateException.class);
  }

  /** A log with holes, read and settled in random order with restarts, against plain sets. */
  @Test
  void progressAgreesWithPlainSetsThroughRestarts() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeSet<Long> visible = new TreeSet<>();
      for (long offset = 0; offset < 40; offset++) {
        if (random.nextInt(3) > 0) {
          visible.add(offset);
        }
      }
      Set<Long> settled = new HashSet<>();
      List<Long> outstanding = new ArrayList<>();
      PartitionCursor cursor = new PartitionCursor(0, List.of());
      long position = 0;
      while (settled.size() < visible.size()) {
        int action = random.nextInt(12);
        Long next = visible.ceiling(position);
        if (action < 6 && next != null) {
          assertThat(cursor.observe(next)).as("seed %d", seed).isEqualTo(!settled.contains(next));
          if (!settled.contains(next)) {
            outstanding.add(next);
          }
          position = next + 1;
        } else if (action < 11 && !outstanding.isEmpty()) {
          long offset = outstanding.remove(random.nextInt(outstanding.size()));
          cursor.settle(offset);
          settled.add(offset);
        } else if (action == 11) {
          position = cursor.nextOffset();
          cursor = new PartitionCursor(position, cursor.consumedAhead());
          outstanding.clear();
        }
        requireProgress(cursor, visible, settled, "seed " + seed);
      }
      if (position < 40) {
        cursor.advanceTo(40);
      }
      assertThat(cursor.consumedAhead()).as("seed %d", seed).isSubsetOf(visible);
    }
  }

  /** Nothing unsettled lies below nextOffset; everything settled lies below it or is listed. */
  private static void requireProgress(
      PartitionCursor cursor, NavigableSet<Long> visible, Set<Long> settled, String seed) {
    long nextOffset = cursor.nextOffset();
    List<Long> ahead = cursor.consumedAhead();
    assertThat(settled).as(seed).containsAll(visible.headSet(nextOffset));
    assertThat(ahead).as(seed).isSorted();
    for (long offset : visible.tailSet(nextOffset)) {
      assertThat(ahead.contains(offset))
          .as("%s, offset %d", seed, offset)
          .isEqualTo(settled.contains(offset));
    }
    assertThat(ahead).as(seed).allMatch(offset -> offset >= nextOffset);
  }
}
