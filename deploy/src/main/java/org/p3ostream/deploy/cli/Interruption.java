package org.p3ostream.deploy.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Turns SIGTERM and Ctrl-C into a call of {@code stop} and gives the command time to end by itself.
 * Close it when the command has ended.
 */
final class Interruption implements AutoCloseable {

  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Runnable> stop = new AtomicReference<>();
  private final Thread hook;

  /**
   * @param stop asks the running command to end; called from the shutdown hook's thread
   * @param grace how long the JVM then waits for it
   */
  Interruption(Runnable stop, Duration grace) {
    this(grace);
    stopBy(stop);
  }

  /**
   * Of a command that has nothing to stop yet: until {@link #stopBy} it ends at once.
   *
   * @param grace how long the JVM waits for the command, the closing of its clients included
   */
  Interruption(Duration grace) {
    hook = new Thread(() -> stopAndAwait(grace), "interruption");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * From here on the command ends by itself when asked to.
   *
   * @param how asks it to; called from the shutdown hook's thread
   */
  void stopBy(Runnable how) {
    stop.set(how);
  }

  private void stopAndAwait(Duration grace) {
    Runnable how = stop.get();
    if (how != null) {
      how.run();
      awaitEnd(grace);
    }
  }

  private void awaitEnd(Duration grace) {
    try {
      ended.await(grace.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down: the hook is what brought us here.
    }
  }
}
