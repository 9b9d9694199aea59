package org.p3ostream.deploy.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
 * @param overrides {@code path=value} for the configuration of all roles, over what the demo says
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
    boolean keepServing,
    List<String> overrides) {

  /** What the demo must know itself, and how to say it instead. */
  private static final Map<String, String> DECIDED_ELSEWHERE =
      Map.of(
          "run.seed", "use --seed",
          "learner.steps", "use --steps",
          "algorithm.name", "use --algorithm",
          "sampling.temperature", "use --temperature",
          "dispatch.maxStaleness", "use --max-staleness",
          "model.directory", "the demo brings its model, see --task",
          "prompts.file", "the demo brings its prompts, see --task",
          "kafka.bootstrap.servers", "the demo starts its own broker",
          "registry.url", "the demo starts its own registry",
          "producer.id", "the demo numbers its producers, see --producers");

  public DemoOptions {
    require(steps >= 1, "--steps", steps, "must be >= 1");
    require(producers >= 1, "--producers", producers, "must be >= 1");
    overrides = List.copyOf(overrides);
    overrides.forEach(DemoOptions::requireFree);
  }

  private static void requireFree(String override) {
    String path = override.split("=", 2)[0].strip();
    String instead = DECIDED_ELSEWHERE.get(path);
    if (instead != null) {
      throw new ConfigException("--set " + path + ": cannot be set in a demo: " + instead);
    }
  }

  private static void require(boolean holds, String option, long value, String rule) {
    if (!holds) {
      throw new ConfigException(option + ": " + value + " " + rule);
    }
  }
}
