package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Progress through one partition: a contiguous prefix and a consumed-ahead set, never a counter.
 *
 * <p>Contiguous means that no visible record lies between: transaction markers and aborted records
 * leave holes in the offsets, and are stepped over. Every visible record is first {@link #observe
 * observed} in offset order and later {@link #settle settled}, that is trained or skipped.
 */
public final class PartitionCursor {
  private final TreeSet<Long> outstanding = new TreeSet<>();
  private final TreeSet<Long> settledAhead = new TreeSet<>();
  private long position;

  /**
   * @param nextOffset every visible record below it is settled
   * @param consumedAhead settled offsets at or above it
   */
  public PartitionCursor(long nextOffset, Collection<Long> consumedAhead) {
    this.position = nextOffset;
    settledAhead.addAll(consumedAhead);
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
    position = recordOffset + 1;
    if (settledAhead.contains(recordOffset)) {
      return false;
    }
    outstanding.add(recordOffset);
    return true;
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
    settledAhead.add(recordOffset);
  }

  /** Every visible record below it is settled. */
  public long nextOffset() {
    return outstanding.isEmpty() ? position : outstanding.first();
  }

  /** Settled offsets at or above {@link #nextOffset()}, ascending. */
  public List<Long> consumedAhead() {
    settledAhead.headSet(nextOffset()).clear();
    return new ArrayList<>(settledAhead);
  }
}
