package org.p3ostream.streams.state;

/**
 * Dead letters of one reason.
 *
 * @param count records rejected for it
 * @param lastAt when the newest was rejected, milliseconds since the epoch
 * @param published {@code count} as it was last written to {@code metrics}
 */
public record DeadLetterFigures(long count, long lastAt, long published) {
  /** Of none. */
  public static final DeadLetterFigures NONE = new DeadLetterFigures(0, Long.MIN_VALUE, 0);

  /** With one more. */
  public DeadLetterFigures plus(long rejectedAt) {
    return new DeadLetterFigures(count + 1, Math.max(lastAt, rejectedAt), published);
  }

  /** As it is once it was written. */
  public DeadLetterFigures written() {
    return new DeadLetterFigures(count, lastAt, count);
  }
}
