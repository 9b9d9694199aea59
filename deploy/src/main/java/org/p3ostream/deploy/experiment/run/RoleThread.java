package org.p3ostream.deploy.experiment.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A learner or a producer on a thread of its own. */
final class RoleThread {

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Runnable stop;
  private volatile @Nullable Throwable failure;

  private RoleThread(Runnable stop) {
    this.stop = stop;
  }

  /**
   * Starts a role.
   *
   * @param stop asks it to end; safe from any thread
   */
  static RoleThread start(String name, Runnable run, Runnable stop) {
    RoleThread role = new RoleThread(stop);
    Thread thread = new Thread(() -> role.run(run), name);
    thread.setDaemon(true);
    thread.start();
    return role;
  }

  private void run(Runnable role) {
    try {
      role.run();
    } catch (RuntimeException | Error e) { // an error must not end in a thread that nobody joins
      failure = e;
    } finally {
      ended.countDown();
    }
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** What it failed with; null while it runs, or if it ended well. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Asks it to end. */
  void stop() {
    stop.run();
  }

  /** Whether it ended within {@code millis}. */
  boolean awaitEnd(long millis) throws InterruptedException {
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }
}
