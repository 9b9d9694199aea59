package org.p3ostream.deploy.stack;

import java.nio.file.Path;
import java.util.List;

/** A child ended although it was needed. The message carries the last lines of its log. */
public final class ChildDiedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ChildDiedException(String name, int exitCode, Path logFile, List<String> lastLogLines) {
    super(
        name
            + " ended with exit code "
            + exitCode
            + "; the end of "
            + logFile
            + ":\n"
            + String.join("\n", lastLogLines).indent(4));
  }
}
