package org.p3ostream.deploy.experiment.run;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;

/**
 * What an experiment is asked for.
 *
 * @param plan name of a plan that ships, or a file; null for the plan of a study that is resumed
 * @param out where everything goes
 * @param parallel runs side by side; null chooses
 * @param resume whether to go on with the study in {@code out}
 * @param discard whether results of another configuration may be overwritten
 * @param kept what stays of the topics of a run that is over
 */
public record ExperimentOptions(
    @Nullable String plan,
    Path out,
    @Nullable Integer parallel,
    boolean resume,
    boolean discard,
    KeptTopics kept) {
  public ExperimentOptions {
    if (parallel != null && parallel < 1) {
      throw new ConfigException("--parallel: " + parallel + " must be >= 1");
    }
    if (plan == null && !resume) {
      throw new ConfigException(
          "--plan: must name a file or one of " + String.join(", ", ShippedPlans.names()));
    }
    if (discard && !resume) {
      throw new ConfigException(
          "--discard: needs --resume: it lets results of another configuration be overwritten");
    }
    out = out.toAbsolutePath().normalize();
  }

  /**
   * Runs side by side. In lockstep learner and producer mostly wait for each other, so that a run
   * keeps about one processor busy.
   */
  int runsAtOnce() {
    return parallel == null ? Math.max(1, Runtime.getRuntime().availableProcessors()) : parallel;
  }
}
