package org.p3ostream.streams.state;

import org.jspecify.annotations.Nullable;

/**
 * What was seen of one partition of {@code rollouts}. Its time is when its records were sent, never
 * going back: a record that says it was sent before its predecessor counts as sent with it.
 *
 * @param newestOffset newest offset seen
 * @param sentAt time of the partition, milliseconds since the epoch
 * @param outstanding records seen and not consumed
 * @param oldestAt event time of the first of these; null if there are none
 * @param cutOffset every record below was sent before the newest event of the ledger that was
 *     settled, none from here on
 * @param visible outstanding records below it
 */
public record PartitionFigures(
    long newestOffset,
    long sentAt,
    long outstanding,
    @Nullable Long oldestAt,
    long cutOffset,
    long visible) {

  /** Of a partition of which nothing was seen. */
  public static final PartitionFigures NONE = new PartitionFigures(-1, 0, 0, null, 0, 0);

  /** After a further record. */
  public PartitionFigures seen(long recordOffset, long recordSentAt, long eventTime) {
    return new PartitionFigures(
        recordOffset,
        Math.max(sentAt, recordSentAt),
        outstanding + 1,
        oldestAt == null ? Long.valueOf(eventTime) : oldestAt,
        newestOffset < 0 ? recordOffset : cutOffset,
        visible);
  }

  /**
   * After everything below {@code offset} was found to be older than an event, {@code more} of it.
   */
  public PartitionFigures cut(long offset, long more) {
    return new PartitionFigures(
        newestOffset, sentAt, outstanding, oldestAt, offset, visible + more);
  }

  /** Without a record that was consumed. */
  public PartitionFigures consumed(long recordOffset) {
    return new PartitionFigures(
        newestOffset,
        sentAt,
        outstanding - 1,
        oldestAt,
        cutOffset,
        recordOffset < cutOffset ? visible - 1 : visible);
  }

  /** With another oldest record. */
  public PartitionFigures withOldestAt(@Nullable Long time) {
    return new PartitionFigures(newestOffset, sentAt, outstanding, time, cutOffset, visible);
  }
}
