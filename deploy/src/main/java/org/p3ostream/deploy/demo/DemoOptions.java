package org.p3ostream.deploy.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.config.Secrets;
import org.p3ostream.deploy.workdirectory.RunRecord;
import org.p3ostream.learner.task.SyntheticTask;

/**
 * What a demo run is asked for.
 *
 * @param steps optimizer steps, ≥ 1
 * @param seed seed of the run
 * @param algorithm policy objective
 * @param temperature sampling temperature
 * @param rolloutPrecision what weights are rounded to before they sample
 * @param producers number of producer processes, ≥ 1
 * @param maxStaleness η, policy versions
 * @param syncInterval k, policy versions
 * @param holdBack L, windows
 * @param task what is learnt
 * @param workDirectory where data and logs go and stay; null for a temporary one
 * @param reportFile where the report is written as JSON; null for nowhere
 * @param keepServing whether broker, registry and metrics stay up after training
 * @param reportDirectory where the report with plots is written; null for nowhere
 * @param port port of the live view, in [0, 65535]; 0 takes a free one
 * @param arguments the command line, for the report
 * @param overrides {@code path=value} for the configuration of all roles, over what the demo says
 * @param resume whether to go on with the run in {@code workDirectory}
 * @param given names of the options that were typed; on resumption the others say nothing
 */
public record DemoOptions(
    long steps,
    long seed,
    String algorithm,
    double temperature,
    String rolloutPrecision,
    int producers,
    int maxStaleness,
    int syncInterval,
    int holdBack,
    SyntheticTask task,
    @Nullable Path workDirectory,
    @Nullable Path reportFile,
    boolean keepServing,
    @Nullable Path reportDirectory,
    int port,
    List<String> arguments,
    List<String> overrides,
    boolean resume,
    Set<String> given) {

  /** What the demo must know itself, and how to say it instead. */
  private static final Map<String, String> DECIDED_ELSEWHERE =
      Map.ofEntries(
          Map.entry("run.seed", "use --seed"),
          Map.entry("learner.steps", "use --steps"),
          Map.entry("algorithm.name", "use --algorithm"),
          Map.entry("sampling.temperature", "use --temperature"),
          Map.entry("producer.rolloutPrecision", "use --rollout-precision"),
          Map.entry("dispatch.maxStaleness", "use --max-staleness"),
          Map.entry("dispatch.syncInterval", "use --sync-interval"),
          Map.entry("learner.holdBackWindows", "use --hold-back"),
          Map.entry("model.directory", "the demo brings its model, see --task"),
          Map.entry("prompts.file", "the demo brings its prompts, see --task"),
          Map.entry("kafka.bootstrap.servers", "the demo starts its own broker"),
          Map.entry("registry.url", "the demo starts its own registry"),
          Map.entry("producer.id", "the demo numbers its producers, see --producers"),
          Map.entry("streams.port", "use --port"),
          Map.entry("metrics.learnerPort", "every process of the demo takes a free port"),
          Map.entry("metrics.producerPort", "every process of the demo takes a free port"),
          Map.entry("metrics.targetsDirectory", "it is the directory targets of the demo"));

  public DemoOptions {
    require(steps >= 1, "--steps", steps, "must be >= 1");
    require(producers >= 1, "--producers", producers, "must be >= 1");
    require(port >= 0 && port <= 65535, "--port", port, "must be in [0, 65535]");
    arguments = List.copyOf(arguments);
    overrides = List.copyOf(overrides);
    given = Set.copyOf(given);
    if (resume && workDirectory == null) {
      throw new ConfigException("--resume: needs --work-dir, the directory of the run");
    }
    overrides.forEach(DemoOptions::requireFree);
  }

  /** {@code path=value} of what was typed: all that a resumed run is told. */
  List<String> typed() {
    List<String> typed = new ArrayList<>();
    addTyped(typed, "--steps", "learner.steps=" + steps);
    addTyped(typed, "--seed", "run.seed=" + seed);
    addTyped(typed, "--algorithm", "algorithm.name=" + algorithm);
    addTyped(typed, "--temperature", "sampling.temperature=" + temperature);
    addTyped(typed, "--rollout-precision", "producer.rolloutPrecision=" + rolloutPrecision);
    addTyped(typed, "--max-staleness", "dispatch.maxStaleness=" + maxStaleness);
    addTyped(typed, "--sync-interval", "dispatch.syncInterval=" + syncInterval);
    addTyped(typed, "--hold-back", "learner.holdBackWindows=" + holdBack);
    typed.addAll(overrides);
    return typed;
  }

  private void addTyped(List<String> typed, String option, String assignment) {
    if (given.contains(option)) {
      typed.add(assignment);
    }
  }

  /** The options of a run that is resumed: its own, where nothing was typed. */
  DemoOptions over(RunRecord run, P3oConfig config) {
    return new DemoOptions(
        config.learner().steps(),
        config.run().seed(),
        config.algorithm().name().id(),
        config.sampling().temperature(),
        config.producer().rolloutPrecision().id(),
        given.contains("--producers") ? producers : run.producers(),
        config.dispatch().maxStaleness(),
        config.dispatch().syncInterval(),
        config.learner().holdBackWindows(),
        run.task(),
        workDirectory,
        reportFile,
        keepServing,
        reportDirectory,
        port,
        arguments,
        overrides,
        resume,
        given);
  }

  private static void requireFree(String override) {
    String[] assignment = override.split("=", 2);
    String path = assignment[0].strip();
    String instead = DECIDED_ELSEWHERE.get(path);
    if (instead == null && Secrets.isSecret(path, assignment[assignment.length - 1])) {
      instead = "it is a secret, and the demo writes its settings where they can be read";
    }
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
