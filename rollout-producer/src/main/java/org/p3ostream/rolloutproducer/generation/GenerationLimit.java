package org.p3ostream.rolloutproducer.generation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long the responses of one group may take.
 *
 * @param timeout time from the start of sampling; zero for no limit
 * @param nanoTime a clock that only goes forward, nanoseconds
 */
public record GenerationLimit(Duration timeout, LongSupplier nanoTime) {

  public GenerationLimit {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout: " + timeout + " must not be negative");
    }
  }

  /** A limit of whole seconds; 0 for none. */
  public static GenerationLimit ofSeconds(int seconds) {
    return new GenerationLimit(Duration.ofSeconds(seconds), System::nanoTime);
  }

  /** A group that begins now. */
  Stopwatch start() {
    return new Stopwatch(this, nanoTime.getAsLong());
  }

  /** Time spent on one group. */
  record Stopwatch(GenerationLimit limit, long startNanos) {

    boolean isOver() {
      return !limit.timeout.isZero() && elapsedNanos() >= limit.timeout.toNanos();
    }

    double elapsedMillis() {
      return (double) elapsedNanos() / TimeUnit.MILLISECONDS.toNanos(1);
    }

    private long elapsedNanos() {
      return limit.nanoTime.getAsLong() - startNanos;
    }
  }
}
