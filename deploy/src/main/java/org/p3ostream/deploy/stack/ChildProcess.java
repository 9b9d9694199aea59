package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running child JVM. It ends when it is closed, and also when this process ends for any reason
 * ({@link ChildMain}). Ctrl-C does not reach it: the terminal signals a whole process group, and
 * children are to be stopped in order by their parent.
 */
public final class ChildProcess implements AutoCloseable {

  /** How long a child may take to end after it was asked to. */
  public static final Duration GRACE = Duration.ofSeconds(10);

  private final JvmCommand command;
  private final Process process;
  private volatile boolean paused;

  private ChildProcess(JvmCommand command, Process process) {
    this.command = command;
    this.process = process;
  }

  /**
   * Starts a child.
   *
   * @throws UncheckedIOException if the directory cannot be made or the program not be run
   */
  public static ChildProcess start(JvmCommand command) {
    try {
      Files.createDirectories(command.workDirectory());
      ProcessBuilder builder = new ProcessBuilder(inShell(command));
      builder.environment().putAll(command.environment());
      builder.directory(command.workDirectory().toFile());
      builder.redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(command.logFile().toFile()));
      return new ChildProcess(command, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * A signal that is ignored stays ignored across exec, and the JVM leaves it so. Priority is a
   * courtesy: a system without {@code nice} runs the program all the same.
   */
  private static List<String> inShell(JvmCommand command) {
    String nice = command.yielding() ? "command -v nice >/dev/null && exec nice -n 5 \"$@\"; " : "";
    List<String> line =
        new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT; " + nice + "exec \"$@\"", "sh"));
    line.addAll(command.commandLine());
    return line;
  }

  public String name() {
    return command.name();
  }

  public JvmCommand command() {
    return command;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Exit status; 128 + n for an end by signal n.
   *
   * @throws IllegalThreadStateException while it runs
   */
  public int exitCode() {
    return process.exitValue();
  }

  /** Last lines of its log. */
  public List<String> lastLogLines(int count) {
    return LogTail.read(command.logFile(), count);
  }

  /**
   * Passes while the child runs.
   *
   * @throws ChildDiedException with its last log lines if it has ended
   */
  public void requireAlive() {
    if (!isAlive()) {
      throw new ChildDiedException(name(), exitCode(), command.logFile(), lastLogLines(15));
    }
  }

  /** Asks it to end (SIGTERM) and returns at once. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy would close its input too: two reasons to end
  }

  /**
   * Stops it where it is (SIGSTOP): it keeps its connections, locks and memory, and answers
   * nothing.
   *
   * @throws IllegalStateException if it has ended
   */
  public void pause() {
    signal("STOP");
    paused = true;
  }

  /**
   * Lets it go on after {@link #pause()} (SIGCONT).
   *
   * @throws IllegalStateException if it has ended
   */
  public void resume() {
    signal("CONT");
    paused = false;
  }

  private void signal(String name) {
    try {
      Process shell =
          new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid())
              .redirectErrorStream(true)
              .start();
      String answer = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (shell.waitFor() != 0) {
        throw new IllegalStateException(
            "SIG%s does not reach %s (process %d): %s"
                .formatted(name, name(), pid(), answer.strip()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot signal " + name(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while signalling " + name(), e);
    }
  }

  /** Ends it without warning (SIGKILL) and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    awaitExit(GRACE);
  }

  /** Whether it ended within {@code timeout}. */
  public boolean awaitExit(Duration timeout) {
    try {
      return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return !process.isAlive();
    }
  }

  /** Asks it to end, waits for {@link #GRACE}, then kills it; at once if it is paused. */
  @Override
  public void close() {
    terminate();
    if (paused || !awaitExit(GRACE)) {
      kill();
    }
  }
}
