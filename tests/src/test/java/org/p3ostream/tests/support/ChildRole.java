package org.p3ostream.tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

/** Roles as processes of their own, which can really be killed. */
public final class ChildRole {

  private ChildRole() {}

  /**
   * Starts a role of a test run; {@code <name>.log} is in the run's directory.
   *
   * @param command arguments of the command line, {@code learner} first
   * @param jvmFlags more flags of its JVM
   */
  public static ChildProcess start(
      TestRun run, String name, List<String> command, String... jvmFlags) {
    Path configuration = run.directory().resolve("p3o.yaml");
    try {
      Files.writeString(configuration, ConfigPrinter.toYaml(run.config()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return start(run.directory(), configuration, name, command, jvmFlags);
  }

  /** The same with a configuration file. */
  public static ChildProcess start(
      Path directory, Path configuration, String name, List<String> command, String... jvmFlags) {
    List<String> arguments = new ArrayList<>(command);
    arguments.addAll(List.of("--config", configuration.toString()));
    return ChildProcess.start(
        JvmCommand.ofOwnClassPath(name, directory, P3o.class, arguments)
            .withTorch()
            .withQuickWarmUp()
            .withJvmFlags(jvmFlags)
            .withJvmFlags(
                "-Xmx384m",
                "-Djava.io.tmpdir=" + directory,
                "-Dlogback.configurationFile=logback-children.xml"));
  }

  /** Whether a process stands still because of a signal, its own or another's. */
  public static boolean isStopped(ChildProcess process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      throw new UncheckedIOException("it is gone", e);
    }
  }
}
