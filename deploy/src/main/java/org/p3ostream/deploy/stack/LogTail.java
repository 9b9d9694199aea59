package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The end of a log file. */
final class LogTail {

  private static final int MAX_BYTES = 64 * 1024;

  private LogTail() {}

  /** The last {@code count} lines; one line that says so if the file cannot be read. */
  static List<String> read(Path file, int count) {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long start = Math.max(0, log.length() - MAX_BYTES);
      byte[] bytes = new byte[(int) (log.length() - start)];
      log.seek(start);
      log.readFully(bytes);
      List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      return lines.subList(Math.max(0, lines.size() - count), lines.size());
    } catch (IOException e) {
      return List.of("(no log: " + e.getMessage() + ")");
    }
  }
}
