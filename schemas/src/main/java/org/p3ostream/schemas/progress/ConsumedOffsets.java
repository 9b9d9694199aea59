package org.p3ostream.schemas.progress;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;

/**
 * Offsets of one partition whose visible records were trained or skipped: everything below a
 * prefix, and ranges beyond it. Reads events that list single offsets as well as those that list
 * ranges. Immutable.
 */
public final class ConsumedOffsets {
  private final long nextOffset;
  private final TreeMap<Long, Long> ahead = new TreeMap<>(); // first to last, both inclusive, apart

  /**
   * Progress of one partition.
   *
   * @throws IllegalArgumentException if a range ends before it begins
   */
  public ConsumedOffsets(PartitionProgress progress) {
    this(progress.getNextOffset(), ranges(progress));
  }

  /**
   * A prefix and ranges in any order; they may touch or overlap.
   *
   * @param nextOffset every visible record below it is consumed
   * @throws IllegalArgumentException if a range ends before it begins
   */
  public ConsumedOffsets(long nextOffset, List<OffsetRange> ranges) {
    this.nextOffset = nextOffset;
    ranges.forEach(range -> add(range.getFromOffset(), range.getToOffset()));
  }

  private static List<OffsetRange> ranges(PartitionProgress progress) {
    List<OffsetRange> ranges = new ArrayList<>(progress.getConsumedAheadRanges());
    progress.getConsumedAhead().forEach(offset -> ranges.add(new OffsetRange(offset, offset)));
    return ranges;
  }

  private void add(long from, long to) {
    if (to < from) {
      throw new IllegalArgumentException("range " + from + ".." + to + " ends before it begins");
    }
    long first = from;
    long last = to;
    Map.Entry<Long, Long> before = ahead.floorEntry(to + 1);
    while (before != null && before.getValue() >= first - 1) {
      first = Math.min(first, before.getKey());
      last = Math.max(last, before.getValue());
      ahead.remove(before.getKey());
      before = ahead.floorEntry(to + 1);
    }
    ahead.put(first, last);
  }

  /** Whether a visible record at this offset was trained or skipped. */
  public boolean covers(long recordOffset) {
    if (recordOffset < nextOffset) {
      return true;
    }
    Map.Entry<Long, Long> range = ahead.floorEntry(recordOffset);
    return range != null && recordOffset <= range.getValue();
  }

  /** Every visible record below it is covered. */
  public long nextOffset() {
    return nextOffset;
  }

  /** Ranges at or above {@link #nextOffset()}, ascending, with a gap between any two. */
  public List<OffsetRange> ranges() {
    List<OffsetRange> ranges = new ArrayList<>();
    ahead.forEach(
        (first, last) -> {
          if (last >= nextOffset) {
            ranges.add(new OffsetRange(Math.max(first, nextOffset), last));
          }
        });
    return ranges;
  }
}
