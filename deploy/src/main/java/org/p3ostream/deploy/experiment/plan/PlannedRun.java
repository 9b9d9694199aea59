package org.p3ostream.deploy.experiment.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One cell of the study with one seed. */
public record PlannedRun(Scenario scenario, Contender algorithm, long seed) {

  /** Unique in its plan: names hold no underscore. */
  public String id() {
    return scenario.name() + "_" + algorithm.name() + "_" + seed;
  }

  /** For people. */
  public String title() {
    return scenario.title() + " × " + algorithm.title() + " × seed " + seed;
  }

  /** {@code path=value} of all that the plan says of it, what is more special last. */
  public List<String> settings(ExperimentPlan plan) {
    List<String> settings = new ArrayList<>();
    settings.add("optimizer.scheduleSteps=" + plan.steps());
    for (Map<String, String> given :
        List.of(plan.settings(), scenario.settings(), algorithm.settings())) {
      given.forEach((path, value) -> settings.add(path + "=" + value));
    }
    settings.add("run.seed=" + seed);
    settings.add("learner.steps=" + plan.steps());
    return settings;
  }
}
