package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.util.OptionalLong;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long one dependency has been failing without a break. */
final class Outage {
  private static final Logger log = LoggerFactory.getLogger(Outage.class);

  private final String dependency;
  private final long deadlineMs;
  private OptionalLong sinceMs = OptionalLong.empty();

  Outage(String dependency, long deadlineMs) {
    this.dependency = dependency;
    this.deadlineMs = deadlineMs;
  }

  /**
   * Notes a failure that may pass.
   *
   * @throws UnavailableException if it has lasted as long as the deadline
   */
  void failed(RuntimeException cause, long nowMs) {
    long since = sinceMs.orElse(nowMs);
    if (sinceMs.isEmpty()) {
      sinceMs = OptionalLong.of(nowMs);
      log.warn("{} fails, trying on for {} s: {}", dependency, deadlineMs / 1000, cause.toString());
      log.debug("First failure of {}", dependency, cause);
    }
    if (nowMs - since >= deadlineMs) {
      throw new UnavailableException(
          dependency + " has failed for " + (nowMs - since) / 1000 + " s: " + cause.getMessage(),
          cause);
    }
  }

  /**
   * Repeats an operation that times out until it is done. A transaction's end may be under way at
   * the broker then, and nothing but the same call is allowed.
   *
   * @throws UnavailableException if it goes on as long as the deadline
   */
  void retry(Runnable operation, Clock clock) {
    while (true) {
      try {
        operation.run();
        recovered();
        return;
      } catch (TimeoutException e) {
        failed(e, clock.millis());
      }
    }
  }

  void recovered() {
    if (sinceMs.isPresent()) {
      log.info("{} is back", dependency);
      sinceMs = OptionalLong.empty();
    }
  }

  boolean lasts() {
    return sinceMs.isPresent();
  }
}
