package org.p3ostream.deploy.demo;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.stack.ChildDiedException;
import org.p3ostream.deploy.stack.ChildProcess;

/**
 * The metrics of a demo. Nobody's training depends on them: when they end before they should, they
 * are started again, a few times.
 */
final class KeptStreams {

  static final int MOST_RESTARTS = 5;

  private final Supplier<ChildProcess> starting;
  private final Consumer<String> notice;
  private @Nullable ChildProcess process;
  private int restarts;

  /**
   * @param notice told of every time that they had to be started again
   */
  KeptStreams(Supplier<ChildProcess> starting, Consumer<String> notice) {
    this.starting = starting;
    this.notice = notice;
  }

  /** Starts them, once. */
  void start() {
    if (process == null) {
      process = starting.get();
    }
  }

  /**
   * Starts them again if they have ended; does nothing before {@link #start}.
   *
   * @throws ChildDiedException if that was done too often
   */
  void keepUp() {
    if (process == null || process.isAlive()) {
      return;
    }
    if (restarts == MOST_RESTARTS) {
      process.requireAlive();
    }
    restarts++;
    notice.accept(
        "the metrics ended with exit code %d and are started again; the training does not need them"
            .formatted(process.exitCode()));
    process = starting.get();
  }
}
