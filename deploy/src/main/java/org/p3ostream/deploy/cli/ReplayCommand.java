package org.p3ostream.deploy.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.replay.ReplayJson;
import org.p3ostream.deploy.replay.ReplayText;
import org.p3ostream.learner.runtime.Replay;
import org.p3ostream.learner.runtime.ReplayReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o replay}. */
@Command(
    name = "replay",
    description = {
      "Executes steps of a run again out of its log and compares weights, metrics and snapshots"
          + " with what was recorded, bit for bit (durations aside).",
      "Starts at a checkpoint before them, or at the beginning of the run, and writes nothing."
          + " Exit code 1 if anything differs or was found damaged."
    },
    mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--from",
      paramLabel = "STEP",
      description =
          "First step, counted from 0 (default: the first there is; in a trimmed run the first after"
              + " its oldest checkpoint).")
  private @Nullable Long from;

  @Option(
      names = "--to",
      paramLabel = "STEP",
      description = "Last step (default: the last there is).")
  private @Nullable Long to;

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "Where to look for a checkpoint to start from (default: learner.checkpointDirectory).")
  private @Nullable Path checkpoints;

  @Option(names = "--json", description = "One JSON object with every step.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (checkpoints != null && !Files.isDirectory(checkpoints)) {
      throw new ConfigException("--checkpoints: " + checkpoints + " is not a directory");
    }
    try (RunOptions.OpenRun run = options.open(this::tell)) {
      List<String> overrides =
          checkpoints == null ? List.of() : List.of("learner.checkpointDirectory=" + checkpoints);
      P3oConfig config = ConfigLoader.over(run.config(), null, overrides);
      try (RoleClients clients = new RoleClients(config)) {
        options.awaitBrokerAndRegistry(clients, this::tell);
        return replay(config, clients);
      }
    }
  }

  private int replay(P3oConfig config, RoleClients clients) throws InterruptedException {
    RunTopics.requireRun(clients, config);
    PrintWriter out = spec.commandLine().getOut();
    Replay replay = new Replay(config.learnerSettings(RunEnvironment.read()), clients.logReaders());
    ReplayText text = new ReplayText(out);
    ReplayReport report;
    try (Interruption interruption = new Interruption(replay::stop, RoleCommand.STOP_GRACE)) {
      report = replay.run(from, to, json ? step -> {} : text::step);
    }
    if (json) {
      out.println(ReplayJson.of(report));
    } else {
      text.summary(report);
    }
    out.flush();
    return report.isOk() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void tell(String message) {
    spec.commandLine().getErr().println("p3o: " + message);
    spec.commandLine().getErr().flush();
  }
}
