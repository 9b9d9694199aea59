package org.p3ostream.deploy.stack;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Archive of parsed classes of a program (class data sharing), from which a JVM starts with about a
 * third less work. The build makes them for one Java version; a JVM that cannot use an archive goes
 * on without it.
 */
enum ClassArchive {
  /** Libraries of this project's own processes, broker included. */
  OWN("p3o.jsa"),
  /** The schema registry. */
  REGISTRY("registry.jsa");

  /** System property that names the directory of the archives; unset where there are none. */
  static final String PROPERTY = "p3o.archives";

  private final String fileName;

  ClassArchive(String fileName) {
    this.fileName = fileName;
  }

  /** Flags of a JVM that runs the program; none if there is no archive. */
  List<String> jvmFlags() {
    @Nullable String directory = System.getProperty(PROPERTY);
    if (directory == null) {
      return List.of();
    }
    Path archive = Path.of(directory, fileName);
    return Files.isReadable(archive)
        ? List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto")
        : List.of();
  }
}
