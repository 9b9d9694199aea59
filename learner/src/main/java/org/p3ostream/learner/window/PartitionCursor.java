package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.progress.ConsumedOffsets;

/**
 * Progress through one partition: a contiguous prefix and ranges consumed ahead of it, never a
 * counter.
 *
 * <p>Contiguous means that no visible record lies between: transaction markers and aborted records
 * leave holes in the offsets, and are stepped over. Every visible record is first {@link #observe
 * observed} in offset order and later {@link #settle settled}, that is trained or skipped. Only
 * records between the two are kept, so memory and the size of {@link #progress} follow what waits
 * for its window and not how much was skipped.
 */
public final class PartitionCursor {
  private final TreeSet<Long> outstanding = new TreeSet<>(); // observed and not settled
  private ConsumedOffsets beforeRestart;
  private long position;

  /**
   * @param nextOffset every visible record below it is settled
   * @param consumedAhead settled offsets at or above it
   */
  public PartitionCursor(long nextOffset, List<OffsetRange> consumedAhead) {
    this.beforeRestart = new ConsumedOffsets(nextOffset, consumedAhead);
    this.position = nextOffset;
  }

  /** Goes on from what an event recorded, of whatever age the event is. */
  public static PartitionCursor after(PartitionProgress progress) {
    ConsumedOffsets consumed = new ConsumedOffsets(progress);
    return new PartitionCursor(consumed.nextOffset(), consumed.ranges());
  }

  /**
   * Takes note of a visible record.
   *
   * @return false if it is settled already, from before a restart
   */
  public boolean observe(long recordOffset) {
    if (recordOffset < position) {
      throw new IllegalArgumentException(
          "offset " + recordOffset + " observed after position " + position);
    }
    boolean settled = beforeRestart.covers(recordOffset);
    advanceTo(recordOffset + 1);
    return !settled && outstanding.add(recordOffset);
  }

  /**
   * Steps over offsets without visible records: the consumer's position is known to be {@code
   * nextOffset}.
   */
  public void advanceTo(long nextOffset) {
    position = Math.max(position, nextOffset);
  }

  /** Marks an observed record as trained or skipped. */
  public void settle(long recordOffset) {
    if (!outstanding.remove(recordOffset)) {
      throw new IllegalStateException("offset " + recordOffset + " is not outstanding");
    }
  }

  /** Every visible record below it is settled. */
  public long nextOffset() {
    return outstanding.isEmpty() ? position : outstanding.first();
  }

  /**
   * Ranges at or above {@link #nextOffset()} without an outstanding record, ascending and apart:
   * what lies between outstanding records, and what was consumed ahead before a restart and is not
   * read again yet.
   */
  public List<OffsetRange> consumedAhead() {
    beforeRestart = new ConsumedOffsets(position, beforeRestart.ranges()); // forgets what was read
    List<OffsetRange> ranges = new ArrayList<>(beforeRestart.ranges());
    long from = nextOffset();
    for (long offset : outstanding) {
      addUpTo(offset, from, ranges);
      from = offset + 1;
    }
    addUpTo(position, from, ranges);
    return new ConsumedOffsets(nextOffset(), ranges).ranges();
  }

  private static void addUpTo(long end, long from, List<OffsetRange> ranges) {
    if (from < end) {
      ranges.add(new OffsetRange(from, end - 1));
    }
  }

  /** Both as an event records them. */
  public PartitionProgress progress(int partition) {
    return PartitionProgress.newBuilder()
        .setPartition(partition)
        .setNextOffset(nextOffset())
        .setConsumedAhead(List.of())
        .setConsumedAheadRanges(consumedAhead())
        .build();
  }
}
