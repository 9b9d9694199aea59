package org.p3ostream.deploy.cli;

import java.time.Clock;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.failpoint.Failpoints;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.Learner;
import picocli.CommandLine.Command;

/** {@code p3o learner}. */
@Command(
    name = "learner",
    description = "Trains on the rollouts of a run until its steps are done.",
    mixinStandardHelpOptions = true)
final class LearnerCommand extends RoleCommand {

  @Override
  void run(P3oConfig config, RoleClients clients, Interruption interruption) {
    LearnerSettings settings = config.learnerSettings(RunEnvironment.read());
    Learner learner =
        new Learner(
            settings, clients.learner(settings), Clock.systemUTC(), Failpoints.ofSystemProperty());
    interruption.stopBy(learner::stop);
    learner.run();
  }
}
