package org.p3ostream.deploy.log;

import java.util.function.Consumer;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Tells once that the broker has gone, and once that it is back: a consumer that gets nothing does
 * not know which. Pure but for what it is given: the caller tells the time.
 */
final class BrokerWatch {

  private static final long ASK_AFTER_NANOS = 5_000_000_000L;

  private final Consumer<String> notice;
  private long answeredNanos;
  private boolean away;

  /**
   * Starts as if the broker had answered just now.
   *
   * @param notice told in words
   */
  BrokerWatch(Consumer<String> notice, long nowNanos) {
    this.notice = notice;
    this.answeredNanos = nowNanos;
  }

  /** The broker sent something. */
  void heard(long nowNanos) {
    answeredNanos = nowNanos;
    if (away) {
      away = false;
      notice.accept("the broker answers again");
    }
  }

  /**
   * The broker sent nothing; after a while it is asked.
   *
   * @param ask throws a TimeoutException if the broker does not answer
   */
  void silent(long nowNanos, Runnable ask) {
    if (nowNanos - answeredNanos < ASK_AFTER_NANOS) {
      return;
    }
    try {
      ask.run();
      heard(nowNanos);
    } catch (TimeoutException e) {
      if (!away) {
        away = true;
        notice.accept("the broker does not answer; waiting for it");
      }
    }
  }
}
