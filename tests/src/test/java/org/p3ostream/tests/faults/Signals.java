package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.p3ostream.deploy.stack.ChildProcess;

/** Stops processes and lets them go on. */
final class Signals {

  private Signals() {}

  /** SIGSTOP; returns when the process stands still. */
  static void stop(ChildProcess process) {
    send("STOP", process);
    while (process.isAlive() && !isStopped(process)) {
      Thread.onSpinWait();
    }
  }

  /** SIGCONT. */
  static void resume(ChildProcess process) {
    send("CONT", process);
  }

  /** Whether the process stands still because of a signal. */
  static boolean isStopped(ChildProcess process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  private static void send(String signal, ChildProcess process) {
    try {
      new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
