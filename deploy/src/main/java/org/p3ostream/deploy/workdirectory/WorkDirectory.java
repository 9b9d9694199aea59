package org.p3ostream.deploy.workdirectory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;

/**
 * Where a demo run keeps everything: data, logs, configuration, temporary files of its children.
 *
 * @param root absolute
 * @param temporary whether nobody asked to keep it
 */
public record WorkDirectory(Path root, boolean temporary) {

  private static final String PART = ".part";

  /** What a demo may leave behind that was killed before its run began. */
  private static final Set<String> BEFORE_THE_RUN =
      Set.of(WorkDirectoryClaim.FILE_NAME, "demo.log", RunRecord.FILE_NAME + PART);

  /**
   * The given directory for a new run, created if missing, or a fresh temporary one.
   *
   * @throws ConfigException if the given directory holds something
   */
  public static WorkDirectory create(@Nullable Path given) {
    try {
      if (given == null) {
        return new WorkDirectory(Files.createTempDirectory("p3o-demo-").toRealPath(), true);
      }
      Files.createDirectories(given);
      WorkDirectory directory = new WorkDirectory(given.toRealPath(), false);
      directory.requireNoRun();
      return directory;
    } catch (IOException e) {
      throw new ConfigException("--work-dir: cannot create " + given + ": " + e);
    }
  }

  /**
   * The given directory, which holds a run.
   *
   * @throws ConfigException if it does not
   */
  public static WorkDirectory existing(Path given) {
    if (!Files.isRegularFile(given.resolve(RunRecord.FILE_NAME))) {
      throw new ConfigException(
          "--work-dir: " + given + " holds no run of p3o demo: it has no " + RunRecord.FILE_NAME);
    }
    try {
      return new WorkDirectory(given.toRealPath(), false);
    } catch (IOException e) {
      throw new ConfigException("--work-dir: cannot read " + given + ": " + e);
    }
  }

  /**
   * Passes while no run has begun here.
   *
   * @throws ConfigException if one has, or if there is something else
   */
  public void requireNoRun() {
    if (Files.exists(record())) {
      throw new ConfigException(
          "--work-dir: " + root + " holds a run already: --resume goes on with it");
    }
    try (Stream<Path> files = Files.list(root)) {
      if (files.anyMatch(file -> !BEFORE_THE_RUN.contains(file.getFileName().toString()))) {
        throw new ConfigException(
            "--work-dir: " + root + " must be empty or missing: a demo is a run from its start");
      }
    } catch (IOException e) {
      throw new ConfigException("--work-dir: cannot read " + root + ": " + e);
    }
  }

  /** How the run began. */
  public Path record() {
    return root.resolve(RunRecord.FILE_NAME);
  }

  public Path model() {
    return root.resolve("model");
  }

  public Path trainingPrompts() {
    return root.resolve("prompts.jsonl");
  }

  public Path heldOutPrompts() {
    return root.resolve("held-out.jsonl");
  }

  public Path configuration() {
    return root.resolve("p3o.yaml");
  }

  public Path checkpoints() {
    return root.resolve("checkpoints");
  }

  public Path streamsState() {
    return root.resolve("streams-state");
  }

  /** Where every process says at which address Prometheus finds it. */
  public Path targets() {
    return root.resolve("targets");
  }

  /** Temporary files of the children. */
  public Path scratch() {
    return root.resolve("tmp");
  }

  public Path log() {
    return root.resolve("demo.log");
  }

  /** Writes a file. */
  public interface FileWriter {

    /** Writes {@code file}, which does not exist or may be overwritten. */
    void write(Path file) throws IOException;
  }

  /**
   * Writes a file so that whoever is killed meanwhile leaves the whole of it or nothing.
   *
   * @throws UncheckedIOException if it cannot be written
   */
  public void writeWhole(Path file, FileWriter writer) {
    Path part = file.resolveSibling(file.getFileName() + PART);
    try {
      writer.write(part);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e, e);
    }
  }

  /** Removes everything. */
  public void delete() {
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                throws IOException {
              Files.deleteIfExists(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + root, e);
    }
  }
}
