package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Up to which window a learner may prepare a step: a file, since the learner is another process. It
 * makes the number of steps of every fault the same, however long a process takes to come back.
 */
record Gate(Path file) {

  /** System property of the learner that names the file. */
  static final String PROPERTY = "p3o.test.gate";

  /** Lets windows below {@code nextWindow} through. */
  void open(long nextWindow) {
    write(file, Long.toString(nextWindow));
  }

  /** First window that has to wait. */
  long read() {
    try {
      return Long.parseLong(Files.readString(file));
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces a file that another process may read at any time. */
  static void write(Path file, String content) {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.writeString(next, content);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
