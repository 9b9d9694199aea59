package org.p3ostream.deploy.demo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.learner.task.SyntheticTask;

/**
 * What a demo run is asked for.
 *
 * @param steps optimizer steps, ≥ 1
 * @param seed seed of the run
 * @param algorithm policy objective
 * @param temperature sampling temperature
 * @param producers number of producer processes, ≥ 1
 * @param maxStaleness η, policy versions
 * @param task what is learnt
 * @param workDirectory where data and logs go and stay; null for a temporary one
 * @param reportFile where the report is written as JSON; null for nowhere
 * @param keepServing whether broker, registry and metrics stay up after training
 */
public record DemoOptions(
    long steps,
    long seed,
    String algorithm,
    double temperature,
    int producers,
    int maxStaleness,
    SyntheticTask task,
    @Nullable Path workDirectory,
    @Nullable Path reportFile,
    boolean keepServing) {
  public DemoOptions {
    require(steps >= 1, "--steps", steps, "must be >= 1");
    require(producers >= 1, "--producers", producers, "must be >= 1");
  }

  private static void require(boolean holds, String option, long value, String rule) {
    if (!holds) {
      throw new ConfigException(option + ": " + value + " " + rule);
    }
  }
}
