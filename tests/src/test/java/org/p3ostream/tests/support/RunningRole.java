package org.p3ostream.tests.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.p3ostream.deploy.clients.RoleClients;

/** A learner or producer on a thread of its own, with its own real clients. */
public final class RunningRole implements AutoCloseable {

  /** A role that takes longer is given up as hung, so that a broken guard ends in a red test. */
  private static final long PATIENCE_SECONDS = 600;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Runnable stop;
  private final String name;

  RunningRole(String name, RoleClients clients, Runnable run, Runnable stop) {
    this.name = name;
    this.stop = stop;
    Thread thread =
        new Thread(
            () -> {
              try (clients) {
                run.run();
                ended.complete(null);
              } catch (Throwable e) {
                ended.completeExceptionally(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns once the role has ended by itself; throws what it failed with. */
  public void join() throws Throwable {
    Throwable failure = failure();
    if (failure != null) {
      throw failure;
    }
  }

  /** What the role failed with, once it has ended; null if it ended well. */
  public Throwable failure() throws InterruptedException {
    try {
      ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      return new AssertionError(name + " still runs after " + PATIENCE_SECONDS + " s", e);
    }
  }

  /** Whether it has ended, well or not. */
  public boolean hasEnded() {
    return ended.isDone();
  }

  /** Asks it to end and waits until it has. */
  public void stop() throws Throwable {
    stop.run();
    join();
  }

  @Override
  public void close() {
    stop.run();
    try {
      failure();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
