package org.p3ostream.deploy.stack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Children that must be the only ones of their name and have outlived their parent. They end by
 * themselves within {@link ChildProcess#GRACE} of its death.
 */
public final class Predecessors {

  private static final Duration PATIENCE = ChildProcess.GRACE.plusSeconds(5);

  /** Children run in the directory of a stack or in one below. */
  private static final int MAX_DEPTH = 2;

  private Predecessors() {}

  /**
   * Returns once no such child is left in a directory.
   *
   * @param notice told at once which process is waited for, if any
   * @throws IllegalStateException naming the process that does not end
   */
  public static void await(Path directory, Consumer<String> notice) {
    await(directory, PATIENCE, notice);
  }

  static void await(Path directory, Duration patience, Consumer<String> notice) {
    for (Path lock : locks(directory)) {
      if (isHeld(lock)) {
        String holder = "process " + holder(lock) + ", left of an earlier run: it holds " + lock;
        notice.accept("waiting for " + holder);
        try {
          Readiness.await("the end of " + holder, patience, () -> !isHeld(lock));
        } catch (IllegalStateException e) {
          throw new IllegalStateException(e.getMessage() + "; end it", e);
        }
      }
    }
  }

  private static List<Path> locks(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files =
        Files.find(directory, MAX_DEPTH, (f, a) -> isLock(f) && a.isRegularFile())) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  /** Others' lock files have names of their own. */
  private static boolean isLock(Path file) {
    return file.getFileName().toString().matches("\\w[-\\w]*" + ChildMain.LOCK_SUFFIX);
  }

  private static boolean isHeld(Path lock) {
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
        FileLock mine = channel.tryLock()) {
      return mine == null;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock " + lock, e);
    }
  }

  private static String holder(Path lock) {
    try {
      return Files.readString(lock, US_ASCII).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
