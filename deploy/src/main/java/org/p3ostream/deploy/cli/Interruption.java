package org.p3ostream.deploy.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and Ctrl-C into a call of {@code stop} and gives the command time to end by itself.
 * Close it when the command has ended.
 */
final class Interruption implements AutoCloseable {

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook;

  /**
   * @param stop asks the running command to end; called from the shutdown hook's thread
   * @param grace how long the JVM then waits for it
   */
  Interruption(Runnable stop, Duration grace) {
    hook =
        new Thread(
            () -> {
              stop.run();
              awaitEnd(grace);
            },
            "interruption");
    Runtime.getRuntime().addShutdownHook(hook);
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
