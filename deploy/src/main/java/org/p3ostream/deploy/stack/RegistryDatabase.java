package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The file database of a registry. A registry that was killed while it made its tables cannot start
 * on what there is of them. So a mark lies beside the database until the registry has answered for
 * the first time: until then nobody has used it, and it may begin anew.
 *
 * @param directory of the registry, absolute
 */
record RegistryDatabase(Path directory) {

  private static final String NAME = "registry";
  private static final String SUFFIX = ".mv.db";
  private static final String UNFINISHED = "unfinished";

  /** Writes through, so that what was acknowledged survives a kill. */
  String url() {
    return "jdbc:h2:file:" + directory.resolve(NAME) + ";WRITE_DELAY=0";
  }

  /** To be called before the registry is started. What was unfinished is set aside. */
  void begin() {
    try {
      Files.createDirectories(directory);
      boolean unfinished = Files.exists(mark());
      if (unfinished && Files.exists(file())) {
        Path aside = directory.resolve(NAME + "." + UNFINISHED);
        Files.move(file(), aside, StandardCopyOption.REPLACE_EXISTING);
      }
      if (!unfinished && !Files.exists(file())) {
        Files.createFile(mark());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare " + file(), e);
    }
  }

  /** To be called once the registry has answered. */
  void finish() {
    try {
      Files.deleteIfExists(mark());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + mark(), e);
    }
  }

  private Path file() {
    return directory.resolve(NAME + SUFFIX);
  }

  private Path mark() {
    return directory.resolve(UNFINISHED);
  }
}
