package org.p3ostream.deploy.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;

/**
 * Where a demo run keeps everything: data, logs, configuration, temporary files of its children.
 *
 * @param root absolute
 * @param temporary whether nobody asked to keep it
 */
record DemoDirectory(Path root, boolean temporary) {

  /**
   * The given directory, created if missing, or a fresh temporary one.
   *
   * @throws ConfigException if the given directory holds something: a demo is a whole run
   */
  static DemoDirectory create(@Nullable Path given) {
    try {
      if (given == null) {
        return new DemoDirectory(Files.createTempDirectory("p3o-demo-").toRealPath(), true);
      }
      Files.createDirectories(given);
      requireEmpty(given);
      return new DemoDirectory(given.toRealPath(), false);
    } catch (IOException e) {
      throw new ConfigException("--work-dir: cannot create " + given + ": " + e);
    }
  }

  private static void requireEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw new ConfigException(
            "--work-dir: "
                + directory
                + " must be empty or missing: a demo is a run from its start");
      }
    }
  }

  Path model() {
    return root.resolve("model");
  }

  Path trainingPrompts() {
    return root.resolve("prompts.jsonl");
  }

  Path heldOutPrompts() {
    return root.resolve("held-out.jsonl");
  }

  Path configuration() {
    return root.resolve("p3o.yaml");
  }

  Path checkpoints() {
    return root.resolve("checkpoints");
  }

  Path streamsState() {
    return root.resolve("streams-state");
  }

  /** Temporary files of the children. */
  Path scratch() {
    return root.resolve("tmp");
  }

  Path log() {
    return root.resolve("demo.log");
  }

  /** Removes everything. */
  void delete() {
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
