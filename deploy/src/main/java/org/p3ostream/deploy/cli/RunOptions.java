package org.p3ostream.deploy.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.workdirectory.WorkDirectoryStack;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options of every command that reads a run: the run is named by its configuration, its broker and
 * registry being up, or by the work directory of a demo, whose broker and registry are then started
 * for as long as the command runs.
 */
final class RunOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration file.")
  private @Nullable Path file;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description =
          "Instead of a configuration: work directory of a demo. Its broker and registry are"
              + " started as long as the command needs them, unless the demo is up.")
  private @Nullable Path workDirectory;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides one value, for instance dispatch.maxStaleness=2. Repeatable.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--broker-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long to wait for Kafka, and then for the registry (default: 10s).")
  private Duration brokerTimeout = Duration.ofSeconds(10);

  /** A run that can be read until this is closed. */
  static final class OpenRun implements AutoCloseable {

    private final P3oConfig config;
    private final @Nullable WorkDirectoryStack stack;

    private OpenRun(P3oConfig config, @Nullable WorkDirectoryStack stack) {
      this.config = config;
      this.stack = stack;
    }

    /** The resolved configuration. */
    P3oConfig config() {
      return config;
    }

    @Override
    public void close() {
      if (stack != null) {
        stack.close();
      }
    }
  }

  /**
   * Finds the run, and starts what it takes to read it.
   *
   * @param notice told what takes time
   */
  OpenRun open(Consumer<String> notice) {
    return open(notice, override -> true);
  }

  /** Returns once the broker answers; see {@link RoleClients#awaitBroker}. */
  void awaitBroker(RoleClients clients, Consumer<String> notice) {
    clients.awaitBroker(brokerTimeout, notice);
  }

  /** Returns once both answer; see {@link RoleClients#awaitRegistry}. */
  void awaitBrokerAndRegistry(RoleClients clients, Consumer<String> notice) {
    awaitBroker(clients, notice);
    clients.awaitRegistry(brokerTimeout, notice);
  }

  /** What was given with {@code --set}. */
  List<String> overrides() {
    return List.copyOf(overrides);
  }

  /**
   * The same.
   *
   * @param applied which of {@link #overrides()} are meant for this run
   */
  OpenRun open(Consumer<String> notice, Predicate<String> applied) {
    List<String> overrides = this.overrides.stream().filter(applied).toList();
    if (workDirectory == null) {
      return new OpenRun(ConfigLoader.load(file, overrides), null);
    }
    if (file != null) {
      throw new ConfigException("--work-dir: cannot stand beside --config: give one of the two");
    }
    String name = command == null ? "p3o" : command.qualifiedName();
    WorkDirectoryStack stack =
        WorkDirectoryStack.open(workDirectory.toAbsolutePath(), name, overrides, notice);
    return new OpenRun(stack.config(), stack);
  }
}
