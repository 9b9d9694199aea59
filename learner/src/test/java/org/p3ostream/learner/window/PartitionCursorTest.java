package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.progress.ConsumedOffsets;

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
    assertThat(cursor.consumedAhead()).containsExactly(range(1, 1), range(3, 3));
    cursor.settle(0);
    assertThat(cursor.nextOffset()).isEqualTo(2);
    assertThat(cursor.consumedAhead()).containsExactly(range(3, 3));
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
    PartitionCursor cursor = new PartitionCursor(4, List.of(range(5, 5), range(8, 8)));
    assertThat(cursor.nextOffset()).isEqualTo(4);
    assertThat(cursor.consumedAhead()).containsExactly(range(5, 5), range(8, 8));
    assertThat(cursor.observe(4)).isTrue();
    assertThat(cursor.observe(5)).isFalse();
    assertThat(cursor.observe(7)).isTrue();
    assertThat(cursor.observe(8)).isFalse();
    cursor.settle(7);
    assertThat(cursor.nextOffset()).isEqualTo(4);
    assertThat(cursor.consumedAhead()).containsExactly(range(5, 8)); // nothing visible at 6
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

  @Test
  void whatIsKeptFollowsTheOutstandingRecordsAndNotTheSettledOnes() {
    PartitionCursor cursor = new PartitionCursor(0, List.of());
    cursor.observe(0); // waits for its window
    for (long offset = 1; offset < 100_000; offset++) {
      cursor.observe(offset);
      if (offset != 70_000) {
        cursor.settle(offset);
      }
    }
    assertThat(cursor.consumedAhead()).containsExactly(range(1, 69_999), range(70_001, 99_999));
  }

  @Test
  void progressOfEventsFromBeforeTheRangesIsTakenUp() {
    PartitionCursor cursor =
        PartitionCursor.after(new PartitionProgress(1, 4L, List.of(5L, 6L, 9L), List.of()));
    assertThat(cursor.progress(1))
        .isEqualTo(new PartitionProgress(1, 4L, List.of(), List.of(range(5, 6), range(9, 9))));
    assertThat(cursor.observe(4)).isTrue();
    assertThat(cursor.observe(6)).isFalse();
  }

  /**
   * A log with holes of markers and aborted records, read and settled in random order, with
   * restarts from the last progress that was recorded, against plain sets.
   */
  @Test
  void progressAgreesWithPlainSetsThroughRestarts() {
    for (long seed = 0; seed < 500; seed++) {
      new Reading(seed).run();
    }
  }

  private static final class Reading {
    private static final long END = 60;

    private final SplittableRandom random;
    private final String seed;
    private final TreeSet<Long> visible = new TreeSet<>();
    private final Set<Long> settled = new HashSet<>();
    private final List<Long> outstanding = new ArrayList<>();
    private PartitionCursor cursor = new PartitionCursor(0, List.of());
    private PartitionProgress recorded = cursor.progress(0);
    private Set<Long> settledWhenRecorded = Set.of();
    private long position;

    Reading(long seed) {
      this.random = new SplittableRandom(seed);
      this.seed = "seed " + seed;
      int holes = 1 + random.nextInt(4);
      for (long offset = 0; offset < END; offset++) {
        if (random.nextInt(4) >= holes - 1) {
          visible.add(offset);
        }
      }
    }

    void run() {
      while (settled.size() < visible.size()) {
        int action = random.nextInt(16);
        if (action < 7) {
          read();
        } else if (action < 12 && !outstanding.isEmpty()) {
          settle();
        } else if (action < 14) {
          recorded = cursor.progress(0);
          settledWhenRecorded = Set.copyOf(settled);
        } else if (action == 14) {
          restart();
        }
        requireProgress();
      }
      cursor.advanceTo(END);
      assertThat(cursor.progress(0))
          .as(seed)
          .isEqualTo(new PartitionProgress(0, END, List.of(), List.of()));
    }

    private void read() {
      Long next = visible.ceiling(position);
      if (next == null) { // only markers follow
        position = END;
        cursor.advanceTo(END);
        return;
      }
      assertThat(cursor.observe(next)).as("%s: %d", seed, next).isEqualTo(!settled.contains(next));
      if (!settled.contains(next)) {
        outstanding.add(next);
      }
      position = next + 1;
    }

    private void settle() {
      long offset = outstanding.remove(random.nextInt(outstanding.size()));
      cursor.settle(offset);
      settled.add(offset);
    }

    /** What was settled and not recorded is undone, as it is when a learner dies. */
    private void restart() {
      cursor = PartitionCursor.after(recorded);
      position = recorded.getNextOffset();
      settled.clear();
      settled.addAll(settledWhenRecorded);
      outstanding.clear();
    }

    /** Covered is exactly what was settled; no more ranges than outstanding records and one. */
    private void requireProgress() {
      PartitionProgress progress = cursor.progress(0);
      ConsumedOffsets consumed = new ConsumedOffsets(progress);
      for (long offset : visible) {
        assertThat(consumed.covers(offset))
            .as("%s, offset %d of %s", seed, offset, progress)
            .isEqualTo(settled.contains(offset));
      }
      assertThat(consumed.ranges()).as(seed).isEqualTo(progress.getConsumedAheadRanges());
      long waiting = visible.stream().filter(offset -> !settled.contains(offset)).count();
      assertThat((long) progress.getConsumedAheadRanges().size())
          .as(seed)
          .isLessThanOrEqualTo(waiting + 1);
    }
  }

  private static OffsetRange range(long first, long last) {
    return new OffsetRange(first, last);
  }
}
