package org.p3ostream.deploy.experiment.plan;

import java.util.List;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;

/** Reads plans; what their settings may be is for the configuration to say, when they are run. */
public final class PlanReader {

  private PlanReader() {}

  /**
   * The plan that a text holds.
   *
   * @param source where the text is from, for messages
   * @throws ConfigException naming source, path, value and rule of everything that is wrong
   */
  public static ExperimentPlan read(String source, String yaml) {
    ExperimentPlan plan;
    try {
      plan = ConfigLoader.read(ExperimentPlan.defaults(), ExperimentPlan.class, source, yaml);
    } catch (ConfigException e) {
      throw named(source, e.problems());
    }
    List<String> broken = PlanRules.broken(plan);
    if (!broken.isEmpty()) {
      throw named(source, broken);
    }
    return plan;
  }

  private static ConfigException named(String source, List<String> problems) {
    return new ConfigException(
        problems.stream()
            .map(problem -> problem.startsWith(source) ? problem : source + ": " + problem)
            .toList());
  }
}
