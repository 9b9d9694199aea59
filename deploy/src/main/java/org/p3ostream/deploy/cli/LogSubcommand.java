package org.p3ostream.deploy.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RecordLog;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What the commands that show a topic have in common. Records go to standard output, everything
 * else to standard error; a record that cannot be read is passed over and makes the exit code 1.
 */
abstract class LogSubcommand implements Callable<Integer> {

  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many at most (default: ${DEFAULT-VALUE}).")
  private int limit = 10;

  @Option(names = "--newest", description = "The last ones rather than the first.")
  private boolean newest;

  @Option(
      names = {"-f", "--follow"},
      description =
          "Shows the newest and goes on with what is committed from then on, until Ctrl-C; waits for"
              + " a run that has not begun.")
  private boolean follow;

  @Option(names = "--json", description = "One JSON object per line, with every field.")
  private boolean json;

  private volatile boolean stopped;

  @Override
  public final Integer call() throws Exception {
    if (limit < 0) {
      throw new ConfigException("--limit: " + limit + " must be >= 0");
    }
    requireValidOptions();
    Unreadable unreadable = new Unreadable(this::tell);
    try (RunOptions.OpenRun run = options.open(this::tell);
        RoleClients clients = new RoleClients(run.config())) {
      options.awaitBroker(clients, this::tell);
      show(run.config(), clients, unreadable);
    }
    return unreadable.count() == 0 ? ExitCode.DONE : ExitCode.FAILED;
  }

  /** Throws a {@link ConfigException} if options contradict each other; nothing is open yet. */
  void requireValidOptions() {
    // most cannot
  }

  /** Shows the topic. */
  abstract void show(P3oConfig config, RoleClients clients, Unreadable unreadable) throws Exception;

  /**
   * The topics of the run; whoever follows waits for the one that is shown.
   *
   * @param shown must exist in the end
   * @param others that may be missing
   */
  final RunTopics topics(
      P3oConfig config, RoleClients clients, TopicSpec shown, TopicSpec... others)
      throws InterruptedException {
    List<TopicSpec> all = Stream.concat(Stream.of(shown), Stream.of(others)).toList();
    return follow
        ? RunTopics.await(clients, config, all, List.of(shown), this::tell)
        : new RunTopics(clients, config, all, this::tell);
  }

  /**
   * Shows a topic whose records stand for themselves, as the options say.
   *
   * @param nothing said if there is nothing to show
   */
  final void show(RecordLog<?> log, String nothing) {
    if (follow()) {
      untilInterrupted(stopped -> log.follow(limit(), stopped), log::wakeup);
    } else if (log.show(limit(), newest()) == 0 && limit() > 0) {
      tell(nothing);
    }
  }

  /** Runs {@code following} until Ctrl-C, or until nobody reads the output any more. */
  final void untilInterrupted(
      java.util.function.Consumer<BooleanSupplier> following, Runnable wakeup) {
    Runnable stop =
        () -> {
          stopped = true;
          wakeup.run();
        };
    try (Interruption interruption = new Interruption(stop, STOP_GRACE)) {
      following.accept(() -> stopped || out().checkError());
    }
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Says something that is no record. */
  final void tell(String message) {
    spec.commandLine().getErr().println("p3o: " + message);
    spec.commandLine().getErr().flush();
  }

  final int limit() {
    return limit;
  }

  /** Whoever follows begins with the newest. */
  final boolean newest() {
    return newest || follow;
  }

  final boolean follow() {
    return follow;
  }

  final boolean json() {
    return json;
  }
}
