package org.p3ostream.deploy.stack;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for a child to be of use. */
final class Readiness {

  private static final Duration POLL = Duration.ofMillis(25);

  private Readiness() {}

  /**
   * Returns as soon as {@code ready} holds.
   *
   * @throws ChildDiedException if the child ends first
   * @throws IllegalStateException with its last log lines if {@code timeout} passes first
   */
  static void await(ChildProcess child, Duration timeout, BooleanSupplier ready) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!ready.getAsBoolean()) {
      child.requireAlive();
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            child.name()
                + " was not ready within "
                + timeout.toSeconds()
                + " s; the end of its log:\n"
                + String.join("\n", child.lastLogLines(15)).indent(4));
      }
      pause();
    }
  }

  /**
   * Returns as soon as {@code ready} holds, whoever has to do with it.
   *
   * @param what what is waited for, for the message
   * @throws IllegalStateException if {@code timeout} passes first
   */
  static void await(String what, Duration timeout, BooleanSupplier ready) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!ready.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "waited " + timeout.toSeconds() + " s for " + what + " in vain");
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting", e);
    }
  }
}
