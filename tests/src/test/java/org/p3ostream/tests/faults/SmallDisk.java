package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A filesystem in memory that runs full when it is told to: its size becomes what is used. Where
 * this process may not mount one, the directory is an ordinary one and is never full.
 */
final class SmallDisk implements AutoCloseable {

  /** Room for all that a long soak writes; only what is used takes memory. */
  private static final String SIZE = "4g";

  private static final long HEADROOM_BYTES = 64 * 1024;

  /** Somebody writes there while it is measured. */
  private static final int ATTEMPTS = 50;

  private final Path root;
  private final boolean mounted;

  private SmallDisk(Path root, boolean mounted) {
    this.root = root;
    this.mounted = mounted;
  }

  /**
   * @param root where it is mounted; created if missing
   */
  static SmallDisk at(Path root) {
    try {
      Files.createDirectories(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new SmallDisk(
        root, run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", root.toString()));
  }

  /** Whether it can be full. */
  boolean canBeFull() {
    return mounted;
  }

  Path root() {
    return root;
  }

  /** Leaves next to no space. */
  void fill() {
    for (int attempt = 0; mounted && attempt < ATTEMPTS; attempt++) {
      if (resize(Long.toString(used() + HEADROOM_BYTES))) {
        return;
      }
    }
    requireResized(!mounted);
  }

  /** Gives the space back. */
  void free() {
    requireResized(!mounted || resize(SIZE));
  }

  /** Copies everything to a directory beside it that stays. */
  void keep() {
    run("cp", "-r", root.toString(), root.resolveSibling(root.getFileName() + "-kept").toString());
  }

  private long used() {
    try {
      FileStore store = Files.getFileStore(root);
      return store.getTotalSpace() - store.getUnallocatedSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** False if it holds more by now. */
  private boolean resize(String size) {
    return run("mount", "-o", "remount,size=" + size, root.toString());
  }

  private void requireResized(boolean resized) {
    if (!resized) {
      throw new IllegalStateException(root + " cannot be resized");
    }
  }

  @Override
  public void close() {
    if (mounted) {
      run("umount", "-l", root.toString());
    }
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
