package org.p3ostream.learner.runtime;

/**
 * How long the broker has not answered. Pure: the caller tells the time, in milliseconds since the
 * epoch.
 */
final class BrokerSilence {
  private final long deadlineMs;
  private long lastAnswerMs;

  /**
   * Starts as if the broker had answered just now.
   *
   * @param deadlineMs silence after which the learner ends; a restart continues
   */
  BrokerSilence(long deadlineMs, long nowMs) {
    this.deadlineMs = deadlineMs;
    this.lastAnswerMs = nowMs;
  }

  /** The broker answered. */
  void answered(long nowMs) {
    lastAnswerMs = nowMs;
  }

  /**
   * The broker was asked and did not answer.
   *
   * @return milliseconds since the last answer
   * @throws IllegalStateException if that is longer than the deadline
   */
  long unanswered(long nowMs, RuntimeException cause) {
    long silentMs = nowMs - lastAnswerMs;
    if (silentMs > deadlineMs) {
      throw new IllegalStateException(
          "the broker has not answered for " + silentMs / 1000 + " s; a restart continues", cause);
    }
    return silentMs;
  }
}
