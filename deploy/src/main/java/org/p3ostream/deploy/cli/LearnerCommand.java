package org.p3ostream.deploy.cli;

import java.util.concurrent.Callable;
import org.p3ostream.deploy.config.P3oConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code p3o learner}. */
@Command(
    name = "learner",
    description = "Trains on the rollouts of a run until its steps are done.",
    mixinStandardHelpOptions = true)
final class LearnerCommand implements Callable<Integer> {

  @Mixin private ConfigOptions options = new ConfigOptions();

  @Override
  public Integer call() {
    P3oConfig config = options.load();
    throw new UnsupportedOperationException("not wired yet" + config);
  }
}
