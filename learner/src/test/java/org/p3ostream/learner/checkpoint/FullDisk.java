package org.p3ostream.learner.checkpoint;

import static org.p3ostream.learner.checkpoint.CheckpointStoreTest.LAYOUT;
import static org.p3ostream.learner.checkpoint.CheckpointStoreTest.hash;
import static org.p3ostream.learner.checkpoint.CheckpointStoreTest.state;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Saves checkpoints on a small file system of its own, which it fills in between. */
final class FullDisk {

  static final String STARTED = "on the small file system";

  private FullDisk() {}

  public static void main(String[] arguments) throws IOException {
    System.out.println(STARTED);
    Path mount = Path.of(arguments[0]);
    CheckpointStore store = new CheckpointStore(mount.resolve("checkpoints"), LAYOUT, 2);
    store.save("run-a", 19, hash(19), 20, state(19));
    long wholeBytes = mount.toFile().getUsableSpace();
    for (int freeBytes : new int[] {0, 4096, 8192, 12288}) { // fails in another file each time
      Path filler = fill(mount, freeBytes);
      try {
        store.save("run-a", 39, hash(39), 40, state(39));
        throw new AssertionError("saved with " + freeBytes + " bytes free");
      } catch (IOException e) {
        System.out.println(freeBytes + " bytes free: " + e.getMessage());
      }
      requireUsable(store, 19L);
      Files.delete(filler);
      if (mount.toFile().getUsableSpace() != wholeBytes) {
        throw new AssertionError("something was left behind");
      }
    }
    store.save("run-a", 59, hash(59), 60, state(59));
    requireUsable(store, 59L, 19L);
  }

  private static Path fill(Path mount, int freeBytes) throws IOException {
    Path filler = mount.resolve("filler");
    byte[] bytes = new byte[(int) mount.toFile().getUsableSpace() - freeBytes];
    try (OutputStream out = Files.newOutputStream(filler)) {
      out.write(bytes);
    }
    return filler;
  }

  private static void requireUsable(CheckpointStore store, Long... steps) {
    List<Long> found = store.usable("run-a").stream().map(Checkpoint::step).toList();
    if (!found.equals(Arrays.asList(steps))) {
      throw new AssertionError(found + " are usable, not " + Arrays.toString(steps));
    }
  }
}
