package org.p3ostream.deploy.cli;

import java.time.Clock;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.failpoint.Failpoints;
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

  @Override
  void run(P3oConfig config, RoleClients clients) {
    LearnerSettings settings = config.learnerSettings(RunEnvironment.read());
    Learner learner =
        new Learner(
            settings, clients.learner(settings), Clock.systemUTC(), Failpoints.ofSystemProperty())
            .acceptConfigurationChange(acceptConfigChange);
    try (Interruption interruption = new Interruption(learner::stop, STOP_GRACE)) {
      learner.run();
    }
  }
}
