package org.p3ostream.tests.support;

import static org.p3ostream.tests.support.TestRun.until;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

/** {@code p3o demo} as its user starts it: a process that starts processes. */
public final class DemoProcess implements AutoCloseable {

  /** Roles and stack of a demo with one producer. */
  public static final int CHILDREN = 5;

  private final ChildProcess process;
  private final List<ProcessHandle> children = new ArrayList<>();

  private DemoProcess(ChildProcess process) {
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param name of its log, {@code <name>.log}
   * @param directory current directory of the process
   * @param scratch its directory of temporary files; exists
   * @param arguments after {@code demo}
   */
  public static DemoProcess start(
      String name, Path directory, Path scratch, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("demo"));
    command.addAll(arguments);
    return new DemoProcess(
        ChildProcess.start(
            JvmCommand.ofOwnClassPath(name, directory, P3o.class, command)
                .withTorch()
                .withJvmFlags(
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + scratch,
                    "-Dp3o.registry.home=" + System.getProperty("p3o.registry.home"))));
  }

  public ChildProcess process() {
    return process;
  }

  /** Returns once every role runs and a step has been shown. */
  public void untilTraining() {
    until(
        "the demo to train",
        () -> {
          process.requireAlive();
          return children().size() >= CHILDREN
              && process.lastLogLines(3).stream().anyMatch(line -> line.startsWith("step "));
        });
  }

  /** Every child seen so far, so that none can hide by ending its parent. */
  public List<ProcessHandle> children() {
    ProcessHandle.of(process.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .filter(child -> !children.contains(child))
        .forEach(children::add);
    return List.copyOf(children);
  }

  /** The child with that argument, for instance {@code learner}. */
  public ProcessHandle child(String argument) {
    return children().stream()
        .filter(child -> commandLine(child).contains("\0" + argument + "\0"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no child runs " + argument));
  }

  /** Kills the demo and whatever it has started, all at once. */
  public void killEverything() {
    List<ProcessHandle> all = children();
    process.kill();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    process.close();
  }

  /** Arguments, each ended by a zero; {@link ProcessHandle} cuts long ones off. */
  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    } catch (IOException e) {
      return ""; // it has ended
    }
  }
}
