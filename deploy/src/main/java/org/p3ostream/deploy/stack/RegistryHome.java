package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unpacked registry program.
 *
 * @param runner its main jar
 * @param mainClass its main class
 */
record RegistryHome(Path runner, String mainClass) {

  /** System property that names the directory the build unpacked the registry to. */
  static final String PROPERTY = "p3o.registry.home";

  /**
   * The registry in the directory that {@link #PROPERTY} names.
   *
   * @throws IllegalStateException if the property is not set or the directory holds no registry
   */
  static RegistryHome locate() {
    @Nullable String directory = System.getProperty(PROPERTY);
    if (directory == null) {
      throw new IllegalStateException(
          "system property " + PROPERTY + " is not set: it names the unpacked registry");
    }
    return in(Path.of(directory).toAbsolutePath().normalize());
  }

  static RegistryHome in(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> runners =
          files.filter(file -> file.getFileName().toString().endsWith("-runner.jar")).toList();
      if (runners.size() != 1) {
        throw new IllegalStateException(
            directory + " must hold one *-runner.jar of the registry, found " + runners.size());
      }
      return new RegistryHome(runners.get(0), mainClass(runners.get(0)));
    } catch (IOException e) {
      throw new IllegalStateException("no registry in " + directory + ": build it first", e);
    }
  }

  private static String mainClass(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.getManifest().getMainAttributes().getValue("Main-Class");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + jar, e);
    }
  }
}
