package org.p3ostream.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.workdirectory.RunRecord;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.task.SyntheticTask;

/** What may be asked of a run that is resumed. */
final class Continuation {

  private Continuation() {}

  /**
   * Passes if nothing that was typed would make it another run: what the weights depend on is fixed
   * when a run begins.
   *
   * @throws ConfigException that lists the keys, with both values
   */
  static void requireSameRun(DemoOptions options, RunRecord run, WorkDirectory directory) {
    P3oConfig recorded = run.configuration(directory, List.of());
    P3oConfig wanted = run.configuration(directory, options.typed());
    List<String> differences = new ArrayList<>();
    if (options.given().contains("--task")) {
      addDifference(differences, "task", lower(run.task()), lower(options.task()));
    }
    addDifference(differences, "run.id", recorded.run().id(), wanted.run().id());
    addDifference(
        differences, "run.topicPrefix", recorded.run().topicPrefix(), wanted.run().topicPrefix());
    addDifference(
        differences,
        "producer.rolloutPrecision",
        recorded.producer().rolloutPrecision().id(),
        wanted.producer().rolloutPrecision().id());
    addDifference(
        differences,
        "producer.mixture",
        recorded.producer().mixture().toString(),
        wanted.producer().mixture().toString());
    addDifference(
        differences,
        "producer.inFlightUpdates",
        Boolean.toString(recorded.producer().inFlightUpdates()),
        Boolean.toString(wanted.producer().inFlightUpdates()));
    differences.addAll(definition(wanted).differencesFrom(definition(recorded)));
    if (!differences.isEmpty()) {
      throw new ConfigException(
          differences.stream()
              .map(
                  difference ->
                      "--resume: "
                          + difference
                          + ": cannot change in the run of "
                          + directory.root())
              .toList());
    }
  }

  /**
   * Passes if the run is not longer already than what was asked for.
   *
   * @param passed steps in the ledger
   */
  static void requireStepsAhead(DemoOptions options, long passed) {
    if (passed > options.steps()) {
      throw new ConfigException(
          "--steps: %d, but the run has %d steps already; without --steps it is only reported"
              .formatted(options.steps(), passed));
    }
  }

  private static void addDifference(
      List<String> differences, String path, String recorded, String wanted) {
    if (!recorded.equals(wanted)) {
      differences.add(path + ": " + recorded + " -> " + wanted);
    }
  }

  /** Model and prompts are files of the directory, the same on both sides. */
  private static RunDefinition definition(P3oConfig config) {
    Map<String, String> files =
        config.prompts().all().stream()
            .collect(Collectors.toMap(DatasetConfig::name, dataset -> ""));
    return RunDefinition.of(config.learnerSettings(Map.of()), "", "", "", files);
  }

  private static String lower(SyntheticTask task) {
    return task.name().toLowerCase(Locale.ROOT);
  }
}
