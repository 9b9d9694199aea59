package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A filesystem of its own for checkpoints, small enough to be filled. Where this process may not
 * mount one, the directory is an ordinary one and is never full.
 */
final class FullDisk implements AutoCloseable {
  private static final int BLOCK_BYTES = 64 * 1024;

  private final Path root;
  private final boolean mounted;

  private FullDisk(Path root, boolean mounted) {
    this.root = root;
    this.mounted = mounted;
  }

  /**
   * @param root where it is mounted; created if missing
   */
  static FullDisk at(Path root) {
    try {
      Files.createDirectories(root);
      Process mount =
          new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", root.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return new FullDisk(root, mount.waitFor() == 0);
    } catch (IOException e) {
      return new FullDisk(root, false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Whether it can be filled. */
  boolean canBeFull() {
    return mounted;
  }

  Path checkpoints() {
    return root.resolve("checkpoints");
  }

  /** Takes what space is left. */
  void fill() {
    byte[] block = new byte[BLOCK_BYTES];
    try (OutputStream ballast = Files.newOutputStream(ballast())) {
      while (true) {
        ballast.write(block);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left")) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Gives the space back. */
  void free() {
    try {
      Files.deleteIfExists(ballast());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (!mounted) {
      return;
    }
    try {
      new ProcessBuilder("umount", "-l", root.toString()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Path ballast() {
    return root.resolve("ballast");
  }
}
