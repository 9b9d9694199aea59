package org.p3ostream.deploy.experiment.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resident memory of this process, as Linux tells it; 0 elsewhere. */
final class ProcessMemory {

  private static final Path STATUS = Path.of("/proc/self/status");

  private ProcessMemory() {}

  /** Bytes. */
  static long residentBytes() {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) * 1024; // told in kB
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return 0;
  }
}
