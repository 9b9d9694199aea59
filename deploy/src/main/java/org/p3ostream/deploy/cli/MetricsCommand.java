package org.p3ostream.deploy.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.MetricLog;
import org.p3ostream.deploy.log.MetricQuery;
import org.p3ostream.deploy.log.MetricsEnd;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.StepRange;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code p3o metrics}. Points go to standard output in whole lines, everything else to standard
 * error; a record that cannot be read is passed over and makes the exit code 1. Ctrl-C and a reader
 * that went away end it as if that had been the end of the run.
 */
@Command(
    name = "metrics",
    description =
        "Prints the metrics of a run: every point of the metrics topic, each metric in its order.",
    mixinStandardHelpOptions = true)
final class MetricsCommand implements Callable<Integer> {

  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = {"-f", "--follow"},
      description =
          "Goes on with what is committed from then on, until the run ends or Ctrl-C; waits for a run"
              + " that has not begun.")
  private boolean follow;

  @Option(names = "--json", description = "One JSON object per line, with every field.")
  private boolean json;

  @Option(names = "--from", paramLabel = "STEP", description = "From this step on.")
  private @Nullable Long from;

  @Option(
      names = "--name",
      paramLabel = "GLOB",
      description =
          "With such names only, for instance 'train/staleness_*'; * stands for any characters, ?"
              + " for one. Repeatable.")
  private List<String> names = new ArrayList<>();

  private volatile boolean stopped;

  @Override
  public Integer call() throws Exception {
    if (from != null && from < 0) {
      throw new ConfigException("--from: " + from + " must be >= 0");
    }
    Unreadable unreadable = new Unreadable(this::tell);
    try (RunOptions.OpenRun run = options.open(this::tell);
        RoleClients clients = new RoleClients(run.config())) {
      options.awaitBroker(clients, this::tell);
      print(run.config(), clients, unreadable);
    }
    return unreadable.count() == 0 ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void print(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    List<TopicSpec> both = List.of(catalogue.metrics(), catalogue.steps());
    RunTopics topics =
        follow
            ? RunTopics.await(clients, config, both, both, this::tell)
            : new RunTopics(clients, config, both, this::tell);
    MetricLog log =
        new MetricLog(
            topics.reader(catalogue.metrics()),
            new MetricQuery(new StepRange(from, null), names),
            unreadable,
            out(),
            json);
    @Nullable MetricsEnd end =
        follow ? MetricsEnd.of(topics, clients, config, unreadable, this::tell) : null;
    Runnable stop =
        () -> {
          stopped = true;
          log.wakeup();
          if (end != null) {
            end.wakeup();
          }
        };
    BooleanSupplier over = () -> stopped || out().checkError();
    try (Interruption interruption = new Interruption(stop, STOP_GRACE);
        CtrlC ctrlC = new CtrlC(stop)) {
      if (end != null) {
        log.follow(over, end::isReached);
      } else if (log.show(over) == 0 && !stopped) {
        tell(catalogue.metrics().name() + " holds no such point yet: p3o streams writes them");
      }
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Says something that is no point. */
  private void tell(String message) {
    spec.commandLine().getErr().println("p3o: " + message);
    spec.commandLine().getErr().flush();
  }
}
