package org.p3ostream.tests.support;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The files in which the broker of the tests keeps the first partition of a topic. */
public final class StoredLog {
  private static final String FIRST_SEGMENT = "00000000000000000000.log";
  private static final int BATCH_OVERHEAD_BYTES = 12; // base offset and length

  private StoredLog() {}

  /**
   * Flips the last bit of the batch that begins with an offset, under the broker's feet. Called
   * again it is as before.
   */
  public static void flipBit(String topic, long baseOffset) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment(topic).toFile(), "rw")) {
      long position = 0;
      while (position + BATCH_OVERHEAD_BYTES < file.length()) {
        file.seek(position);
        long offset = file.readLong();
        long end = position + BATCH_OVERHEAD_BYTES + file.readInt();
        if (offset == baseOffset) {
          file.seek(end - 1);
          int last = file.read();
          file.seek(end - 1);
          file.write(last ^ 1);
          return;
        }
        position = end;
      }
    }
    throw new IllegalArgumentException(topic + " has no batch that begins with " + baseOffset);
  }

  private static Path segment(String topic) throws IOException {
    try (Stream<Path> stacks = Files.list(Path.of("target"))) {
      return stacks
          .map(stack -> stack.resolve("broker/data").resolve(topic + "-0").resolve(FIRST_SEGMENT))
          .filter(Files::exists)
          .findFirst()
          .orElseThrow();
    }
  }
}
