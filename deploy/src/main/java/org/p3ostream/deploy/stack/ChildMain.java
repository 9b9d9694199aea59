package org.p3ostream.deploy.stack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of every child JVM. Standard input is a pipe whose other end only the parent holds,
 * so its end means that the parent is gone, however it went; the child then ends too. Uses the JDK
 * alone, because foreign programs run under it with nothing else of this project on their class
 * path.
 */
public final class ChildMain {

  /** Exit status of a child that ended because its parent was gone. */
  public static final int PARENT_GONE = 75;

  /**
   * System property that names a file only one process at a time may hold; the child waits for it.
   */
  static final String SOLE_PROPERTY = "p3o.child.sole";

  /** How such files are called. */
  static final String LOCK_SUFFIX = ".lock";

  private static final long GRACE_MILLIS = 10_000;

  /** Held until the process ends, however it ends. */
  @SuppressWarnings("unused")
  private static @Nullable FileChannel sole;

  private ChildMain() {}

  /** First argument: the main class to run. The others are that program's own. */
  public static void main(String[] arguments) throws Throwable {
    daemon("parent-watch", ChildMain::endWithParent);
    awaitPredecessor();
    try {
      Class.forName(arguments[0])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /**
   * An earlier child of the same kind may still be on its way out, for instance because its parent
   * was killed a moment ago. Two at a time would share their data.
   */
  private static void awaitPredecessor() throws IOException {
    @Nullable String file = System.getProperty(SOLE_PROPERTY);
    if (file == null) {
      return;
    }
    FileChannel channel = FileChannel.open(Path.of(file), READ, WRITE, CREATE);
    sole = channel;
    if (channel.tryLock() == null) {
      System.err.println("waiting for process " + holder(channel) + " to end: it holds " + file);
      channel.lock();
    }
    channel.truncate(0);
    channel.write(
        ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(US_ASCII)), 0);
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(20);
    channel.read(text, 0);
    return new String(text.array(), 0, text.position(), US_ASCII);
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
