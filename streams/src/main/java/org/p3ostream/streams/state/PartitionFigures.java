package org.p3ostream.streams.state;

import org.jspecify.annotations.Nullable;

/**
 * What was seen of one partition of {@code rollouts}. Its time is when its records were sent, never
 * going back: a record that says it was sent before its predecessor counts as sent with it.
 *
 * @param newestOffset newest offset seen
 * @param sentAt time of the partition, milliseconds since the epoch
 * @param outstanding records held, that is seen and not consumed
 * @param oldestAt event time of the first record that is not consumed; null if there is none, or if
 *     it is not held
 * @param cutOffset every record below was sent before the newest event of the ledger that was
 *     settled, none from here on
 * @param visible outstanding records below it
 * @param counted records that are not consumed and not held either; null if there are none
 */
public record PartitionFigures(
    long newestOffset,
    long sentAt,
    long outstanding,
    @Nullable Long oldestAt,
    long cutOffset,
    long visible,
    @Nullable CountedOffsets counted) {

  /** Of a partition of which nothing was seen. */
  public static final PartitionFigures NONE = new PartitionFigures(-1, 0, 0, null, 0, 0, null);

  /**
   * Offsets of records of which nothing else is known, transaction markers included.
   *
   * @param from first offset
   * @param to offset behind the last
   * @param growing whether what comes next belongs to them
   */
  public record CountedOffsets(long from, long to, boolean growing) {}

  /** After a further record, which is held. */
  public PartitionFigures seen(long recordOffset, long recordSentAt, long eventTime) {
    boolean first = oldestAt == null && counted == null;
    return new PartitionFigures(
        recordOffset,
        Math.max(sentAt, recordSentAt),
        outstanding + 1,
        first ? Long.valueOf(eventTime) : oldestAt,
        newestOffset < 0 ? recordOffset : cutOffset,
        visible,
        counted);
  }

  /** After a further record, which is not held: it and what lies between belong to the counted. */
  public PartitionFigures seenUnheld(long recordOffset, long recordSentAt) {
    return new PartitionFigures(
        recordOffset,
        Math.max(sentAt, recordSentAt),
        outstanding,
        oldestAt,
        newestOffset < 0 ? recordOffset : cutOffset,
        visible,
        new CountedOffsets(
            counted == null ? recordOffset : counted.from(), recordOffset + 1, true));
  }

  /** What comes next is held. */
  public PartitionFigures holdingAgain() {
    return counted == null
        ? this
        : withCounted(new CountedOffsets(counted.from(), counted.to(), false));
  }

  /**
   * After everything below {@code offset} was found to be older than an event, {@code more} of it.
   */
  public PartitionFigures cut(long offset, long more) {
    return new PartitionFigures(
        newestOffset, sentAt, outstanding, oldestAt, offset, visible + more, counted);
  }

  /** Without a record that was held. */
  public PartitionFigures released(long recordOffset) {
    return new PartitionFigures(
        newestOffset,
        sentAt,
        outstanding - 1,
        oldestAt,
        cutOffset,
        recordOffset < cutOffset ? visible - 1 : visible,
        counted);
  }

  /** After everything below {@code offset} was consumed; held records are {@link #released}. */
  public PartitionFigures consumedBelow(long offset) {
    if (counted == null || offset <= counted.from()) {
      return this;
    }
    return withCounted(
        offset >= counted.to()
            ? null
            : new CountedOffsets(offset, counted.to(), counted.growing()));
  }

  /** With another oldest record. */
  public PartitionFigures withOldestAt(@Nullable Long time) {
    return new PartitionFigures(
        newestOffset, sentAt, outstanding, time, cutOffset, visible, counted);
  }

  private PartitionFigures withCounted(@Nullable CountedOffsets offsets) {
    return new PartitionFigures(
        newestOffset, sentAt, outstanding, oldestAt, cutOffset, visible, offsets);
  }

  /** Records that are not held, with transaction markers between them. */
  public long unheld() {
    return counted == null ? 0 : counted.to() - counted.from();
  }

  /** Whether {@link #oldestAt} is null although something is not consumed. */
  public boolean oldestUnknown() {
    return oldestAt == null && counted != null;
  }
}
