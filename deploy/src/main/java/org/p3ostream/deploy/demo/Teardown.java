package org.p3ostream.deploy.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be undone at the end, newest first. Safe to run from two threads: the one that comes
 * second waits, and whatever is registered afterwards is undone at once.
 */
final class Teardown implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Teardown.class);

  private final Deque<AutoCloseable> tasks = new ArrayDeque<>();
  private boolean closed;

  /** Registers {@code task} and returns it. */
  synchronized <T extends AutoCloseable> T add(T task) {
    if (closed) {
      close(task);
    } else {
      tasks.push(task);
    }
    return task;
  }

  /** Whether it has been run: what then fails is a consequence. */
  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
    while (!tasks.isEmpty()) {
      close(tasks.pop());
    }
  }

  private static void close(AutoCloseable task) {
    try {
      task.close();
    } catch (Exception e) {
      LOG.warn("could not be undone", e);
    }
  }
}
