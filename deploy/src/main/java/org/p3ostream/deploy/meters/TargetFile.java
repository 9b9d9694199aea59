package org.p3ostream.deploy.meters;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells Prometheus where a process serves its metrics: one file per process, as its file-based
 * service discovery reads them. Removed when the process ends in good order; what one that was
 * killed leaves behind is replaced by its successor.
 */
public final class TargetFile implements AutoCloseable {

  private final Path file;

  private TargetFile(Path file) {
    this.file = file;
  }

  /**
   * Writes the file, whole or not at all.
   *
   * @param directory made if it is not there
   * @param name of the process in the run, also of the file; characters that file names had better
   *     not have are replaced
   * @param port on the loopback interface
   * @param labels put on everything that is read from there
   */
  public static TargetFile write(
      Path directory, String name, int port, Map<String, String> labels) {
    Path file = directory.resolve(name.replaceAll("[^A-Za-z0-9._-]", "_") + ".json");
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.createDirectories(directory);
      new ObjectMapper()
          .writeValue(
              part.toFile(),
              List.of(
                  Map.of(
                      "targets", List.of("127.0.0.1:" + port), "labels", new TreeMap<>(labels))));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("metrics.targetsDirectory: " + file + " cannot be written", e);
    }
    return new TargetFile(file);
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be removed", e);
    }
  }
}
