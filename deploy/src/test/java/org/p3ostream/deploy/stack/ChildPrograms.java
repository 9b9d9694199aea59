package org.p3ostream.deploy.stack;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Small programs to supervise. */
final class ChildPrograms {

  private ChildPrograms() {}

  /** Says that it runs, then waits to be ended. */
  public static final class Waits {
    public static void main(String[] arguments) throws InterruptedException {
      System.out.println("waiting");
      Thread.currentThread().join();
    }
  }

  /** Ends by itself with a status and a last word. */
  public static final class Fails {
    public static void main(String[] arguments) {
      System.out.println("first line");
      System.err.println("last word");
      System.exit(7);
    }
  }

  /** Starts {@link Waits} as its own child, tells its process id, and waits. */
  public static final class IsAParent {
    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      ChildProcess child =
          ChildProcess.start(
              JvmCommand.ofOwnClassPath("grandchild", directory, Waits.class, List.of()));
      Path draft = directory.resolve("pid.draft");
      Files.writeString(draft, Long.toString(child.pid()));
      Files.move(draft, directory.resolve("pid"), StandardCopyOption.ATOMIC_MOVE);
      Thread.currentThread().join();
    }
  }
}
