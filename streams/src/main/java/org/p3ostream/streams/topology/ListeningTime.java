package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Time in which the topology listened, milliseconds since it was created: the process ran, and a
 * broker answered its reader. A process that was stopped, a host that slept, a broker that is away
 * are no silence: whatever was sent meanwhile is still to be read.
 */
final class ListeningTime {
  private final LongSupplier answers;
  private final long longestStep;
  private long total;
  private long tickAt;
  private long answered;

  /**
   * @param answers of brokers to the topology's reader so far
   * @param tick expected between two calls of {@link #tick}; a longer time counts as twice that
   * @param now wall-clock time, milliseconds since the epoch
   */
  ListeningTime(LongSupplier answers, Duration tick, long now) {
    this.answers = answers;
    this.longestStep = 2 * tick.toMillis();
    this.tickAt = now;
    this.answered = answers.getAsLong();
  }

  /** Counts the time since the last tick if a broker answered in it. */
  void tick(long now) {
    long count = answers.getAsLong();
    if (count != answered) {
      total = at(now);
    }
    answered = count;
    tickAt = now;
  }

  /** Up to the last tick. */
  long total() {
    return total;
  }

  /** Up to {@code now}, at which something was read. */
  long at(long now) {
    return total + Math.max(0, Math.min(now - tickAt, longestStep));
  }
}
