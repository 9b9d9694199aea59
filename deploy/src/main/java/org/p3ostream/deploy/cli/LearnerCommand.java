package org.p3ostream.deploy.cli;

import java.time.Clock;
import java.util.List;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.failpoint.Failpoints;
import org.p3ostream.deploy.meters.LearnerMeters;
import org.p3ostream.deploy.meters.RoleMeters;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.Learner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code p3o learner}. */
@Command(
    name = "learner",
    description = "Trains on the rollouts of a run until its steps are done.",
    mixinStandardHelpOptions = true)
final class LearnerCommand extends RoleCommand {

  @Option(
      names = "--accept-config-change",
      description =
          "Goes on with a configuration that trains in another way than the one the run has, and"
              + " records the change in the ledger.")
  private boolean acceptConfigChange;

  @Option(
      names = "--skip-window",
      paramLabel = "WINDOW",
      description =
          "Passes this window instead of training it, as a recorded no-op: for one whose update is"
              + " not finite. Repeatable.")
  private List<Long> skippedWindows = List.of();

  @Override
  RoleMeters meters(P3oConfig config) {
    return RoleMeters.serve(
        "learner",
        config.metrics().learnerPort(),
        "metrics.learnerPort",
        config.metrics().targetsDirectory(),
        labels(config, "learner"));
  }

  @Override
  void run(P3oConfig config, RoleClients clients, RoleMeters meters, Interruption interruption) {
    LearnerSettings settings = config.learnerSettings(RunEnvironment.read());
    Learner learner =
        new Learner(
                settings,
                clients.learner(settings),
                Clock.systemUTC(),
                Failpoints.ofSystemProperty())
            .acceptConfigurationChange(acceptConfigChange);
    meters.registry().ifPresent(registry -> learner.observedBy(new LearnerMeters(registry)));
    learner.skipWindows(skippedWindows);
    interruption.stopBy(learner::stop);
    learner.run();
  }
}
