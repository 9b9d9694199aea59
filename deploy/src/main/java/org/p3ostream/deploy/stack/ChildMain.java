package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Entry point of every child JVM. Standard input is a pipe whose other end only the parent holds,
 * so its end means that the parent is gone, however it went; the child then ends too. Uses the JDK
 * alone, because foreign programs run under it with nothing else of this project on their class
 * path.
 */
public final class ChildMain {

  /** Exit status of a child that ended because its parent was gone. */
  public static final int PARENT_GONE = 75;

  private static final long GRACE_MILLIS = 10_000;

  private ChildMain() {}

  /** First argument: the main class to run. The others are that program's own. */
  public static void main(String[] arguments) throws Throwable {
    daemon("parent-watch", ChildMain::endWithParent);
    try {
      Class.forName(arguments[0])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static void endWithParent() {
    awaitEndOfInput();
    daemon("parent-watch-halt", ChildMain::haltAfterGrace);
    System.exit(PARENT_GONE);
  }

  private static void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // The parent sends nothing; only the end matters.
      }
    } catch (IOException e) {
      // A broken pipe says the same as its end.
    }
  }

  private static void haltAfterGrace() {
    try {
      Thread.sleep(GRACE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(PARENT_GONE);
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
