package org.p3ostream.deploy.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.replay.ForkJson;
import org.p3ostream.deploy.replay.ForkText;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.Fork;
import org.p3ostream.learner.runtime.ForkReport;
import org.p3ostream.learner.runtime.ForkSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o fork}. */
@Command(
    name = "fork",
    description = {
      "Trains the windows of a run again from one of its steps on, under another objective or other"
          + " settings (--set), as a run of its own.",
      "The configuration is that of the run to fork; --set run.* names the run, every other --set is"
          + " what the fork does in another way. The same command goes on where it was interrupted."
          + " A fork ends with the last window that the run has settled."
    },
    mixinStandardHelpOptions = true)
final class ForkCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--at",
      paramLabel = "STEP",
      required = true,
      description = "Last step that both share, counted from 0; -1 for none.")
  private long at;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      required = true,
      description = "Topic prefix of the fork, for instance fork. with a dot at the end.")
  private String prefix = "";

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "Run id of the fork (default: that of the run, with -fork-STEP).")
  private @Nullable String id;

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      description =
          "Another objective, with its defaults instead of what the configuration says of the"
              + " run's own.")
  private @Nullable String algorithm;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "Windows to train after the shared step at most (default: all there are).")
  private long steps = Long.MAX_VALUE;

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "Checkpoints of the fork (default: learner.checkpointDirectory with the prefix behind).")
  private @Nullable Path checkpoints;

  @Option(names = "--json", description = "What came of it as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (steps < 0) {
      throw new ConfigException("--steps: " + steps + " must be >= 0");
    }
    if (prefix.isBlank()) {
      throw new ConfigException("--prefix: '" + prefix + "' must name the topics of the fork");
    }
    try (RunOptions.OpenRun run = options.open(this::tell, ForkCommand::namesTheRun)) {
      ForkSource source =
          new ForkSource(
              run.config().run().id(),
              run.config().run().topicPrefix(),
              Path.of(run.config().learner().checkpointDirectory()),
              at);
      P3oConfig config = ConfigLoader.over(run.config(), algorithm, ofTheFork(source));
      try (RoleClients clients = new RoleClients(config)) {
        options.awaitBrokerAndRegistry(clients, this::tell);
        RunTopics.requireRun(clients, run.config());
        fork(config, source, clients);
      }
    }
    return ExitCode.DONE;
  }

  private static boolean namesTheRun(String override) {
    return override.startsWith("run.") || override.startsWith("learner.checkpointDirectory");
  }

  private void fork(P3oConfig config, ForkSource source, RoleClients clients) {
    LearnerSettings settings = config.learnerSettings(RunEnvironment.read());
    Fork fork = new Fork(settings, source, steps, clients.learner(settings), Clock.systemUTC());
    ForkReport report;
    try (Interruption interruption = new Interruption(fork::stop, RoleCommand.STOP_GRACE)) {
      report = fork.run();
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(ForkJson.of(config.run(), source, report));
    } else {
      ForkText.show(out, config.run(), source, report);
    }
    out.flush();
  }

  /** A transactional id that is configured is the run's, and would fence its learner. */
  private List<String> ofTheFork(ForkSource source) {
    String name = prefix.endsWith(".") ? prefix.substring(0, prefix.length() - 1) : prefix;
    Path directory =
        checkpoints == null
            ? source
                .checkpointDirectory()
                .resolveSibling(source.checkpointDirectory().getFileName() + "-" + name)
            : checkpoints;
    List<String> all = new ArrayList<>(options.overrides());
    all.add("run.id=" + (id == null ? source.runId() + "-fork-" + at : id));
    all.add("run.topicPrefix=" + prefix);
    all.add("learner.transactionalId=");
    all.add("learner.checkpointDirectory=" + directory);
    return all;
  }

  private void tell(String message) {
    spec.commandLine().getErr().println("p3o: " + message);
    spec.commandLine().getErr().flush();
  }
}
