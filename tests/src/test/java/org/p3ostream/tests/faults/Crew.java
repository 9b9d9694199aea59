package org.p3ostream.tests.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.p3ostream.deploy.cli.ExitCode;
import org.p3ostream.deploy.failpoint.Failpoints;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.tests.support.ChildRole;

/**
 * The roles of a run as child processes, each started again when it ends, as a supervisor would.
 */
final class Crew implements AutoCloseable {

  /** An end that was noticed. */
  record Exit(Role role, int code) {}

  /** Ends of one role between two successes that are more than bad luck. */
  private static final int MAX_RESTARTS = 12;

  private final Path directory;
  private final Path configuration;
  private final Gate gate;
  private final Map<Role, ChildProcess> running = new EnumMap<>(Role.class);
  private final Map<Role, Integer> restarts = new EnumMap<>(Role.class);
  private final Set<Role> released = EnumSet.noneOf(Role.class);
  private final List<Exit> exits = new ArrayList<>();

  /**
   * @param directory logs and temporary files of the children
   * @param configuration file that every role reads
   */
  Crew(Path directory, Path configuration, Gate gate) {
    this.directory = directory;
    this.configuration = configuration;
    this.gate = gate;
  }

  /** File that holds the failpoint of the learner. */
  Path failpointFile() {
    return directory.resolve("failpoint");
  }

  ChildProcess start(Role role) {
    return start(role, role.toString());
  }

  /** Starts a second process of a role, which takes the place of the first. */
  ChildProcess replace(Role role, String name) {
    return start(role, name);
  }

  private ChildProcess start(Role role, String name) {
    List<String> arguments = new ArrayList<>(role.command());
    if (role == Role.LEARNER) {
      arguments.addAll(
          List.of("--set", "serde.serializerClass=" + GatedSerializer.class.getName()));
    }
    ChildProcess child =
        ChildRole.start(
            directory,
            configuration,
            name,
            arguments,
            "-D" + Failpoints.PROPERTY + "=" + failpointFile(),
            "-D" + Gate.PROPERTY + "=" + gate.file());
    running.put(role, child);
    return child;
  }

  ChildProcess get(Role role) {
    return running.get(role);
  }

  /** The processes as they are now. */
  List<ChildProcess> all() {
    return List.copyOf(running.values());
  }

  /** Starts what has ended again, and counts how often that happened. */
  void supervise() {
    for (Map.Entry<Role, ChildProcess> entry : Map.copyOf(running).entrySet()) {
      Role role = entry.getKey();
      ChildProcess child = entry.getValue();
      if (child.isAlive() || released.contains(role)) {
        continue;
      }
      ended(role, child);
      if (child.exitCode() == ExitCode.USAGE
          || restarts.merge(role, 1, Integer::sum) > MAX_RESTARTS) {
        child.requireAlive();
      }
      start(role);
    }
  }

  /** Notes the end of a process that was replaced. */
  void ended(Role role, ChildProcess child) {
    exits.add(new Exit(role, child.exitCode()));
  }

  /** Forgets how often each was started: all is well. */
  void settled() {
    restarts.clear();
  }

  /** Does not start a role again that ends from now on. */
  void release(Role role) {
    released.add(role);
  }

  /** Ends noticed so far. */
  List<Exit> exits() {
    return exits;
  }

  @Override
  public void close() {
    running.values().stream().filter(ChildProcess::isAlive).forEach(ChildProcess::resume);
    running.values().forEach(ChildProcess::terminate);
    running.values().forEach(ChildProcess::close);
  }
}
