package org.p3ostream.deploy.experiment.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * From a planned run to a configuration. What a run depends on and where it takes place are kept
 * apart: the hash is of the first alone.
 */
final class RunConfiguration {

  /** Addresses that {@code p3o up} has where nothing else is said. */
  private static final List<String> ADDRESSES_OF_UP =
      List.of(
          "kafka.bootstrap.servers=127.0.0.1:9092",
          "registry.url=http://127.0.0.1:8081/apis/ccompat/v7");

  private RunConfiguration() {}

  /**
   * Finds what is wrong with the settings of a plan before anything starts.
   *
   * @throws ConfigException naming path, value and rule, and one run that it is about
   */
  static void requireSound(ExperimentPlan plan) {
    Map<String, String> problems = new LinkedHashMap<>(); // with the first run that has it
    for (PlannedRun run : plan.runs()) {
      try {
        withoutPlaces(plan, run);
      } catch (ConfigException e) {
        e.problems().forEach(problem -> problems.putIfAbsent(problem, run.title()));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(
          problems.entrySet().stream()
              .map(e -> "plan " + plan.name() + ", " + e.getValue() + ": " + e.getKey())
              .toList());
    }
  }

  /** All that a run is told, but for its places. */
  static P3oConfig withoutPlaces(ExperimentPlan plan, PlannedRun run) {
    return ConfigLoader.load(null, run.settings(plan));
  }

  /**
   * SHA-256 of all that the result of a run depends on, besides this program.
   *
   * @param warmStart hash of its warm start
   */
  static String hash(ExperimentPlan plan, PlannedRun run, String warmStart) {
    String text =
        "result %d\nwarm start %s\nheld out %s\n%s"
            .formatted(
                RunResult.FORMAT,
                warmStart,
                plan.heldOut(),
                ConfigPrinter.toYaml(withoutPlaces(plan, run).resolved()));
    return WeightsDigest.sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The configuration of a run on a stack. */
  static P3oConfig on(
      LocalStack stack,
      ExperimentPlan plan,
      PlannedRun run,
      String topicPrefix,
      ExperimentDirectory directory,
      PreparedStart start) {
    return load(
        List.of(
            "kafka.bootstrap.servers=" + stack.bootstrapServers(),
            "registry.url=" + stack.registryUrl()),
        plan,
        run,
        topicPrefix,
        directory,
        start);
  }

  /** The same as YAML, with the addresses that {@code p3o up} has by default. */
  static String forLaterReading(
      ExperimentPlan plan,
      PlannedRun run,
      String topicPrefix,
      ExperimentDirectory directory,
      PreparedStart start) {
    return ConfigPrinter.toYaml(
        load(ADDRESSES_OF_UP, plan, run, topicPrefix, directory, start).resolved());
  }

  /** Begins the names of the topics of one execution of a run. */
  static String topicPrefix(ExperimentPlan plan, PlannedRun run, int attempt) {
    return topicPrefix(plan, run) + attempt + ".";
  }

  /** Begins the names of the topics of all executions of a run. */
  static String topicPrefix(ExperimentPlan plan, PlannedRun run) {
    return plan.name() + "." + run.id() + ".";
  }

  private static P3oConfig load(
      List<String> addresses,
      ExperimentPlan plan,
      PlannedRun run,
      String topicPrefix,
      ExperimentDirectory directory,
      PreparedStart start) {
    List<String> settings = new ArrayList<>();
    settings.add("learner.checkpointEvery=" + Integer.MAX_VALUE); // a run cut short is begun anew
    settings.addAll(run.settings(plan));
    settings.addAll(addresses);
    settings.add("run.id=" + run.id());
    settings.add("run.topicPrefix=" + topicPrefix);
    settings.add("model.directory=" + start.model());
    settings.add("prompts.file=" + start.trainingPrompts());
    settings.add("learner.checkpointDirectory=" + directory.checkpoints(run));
    return ConfigLoader.load(null, settings);
  }
}
