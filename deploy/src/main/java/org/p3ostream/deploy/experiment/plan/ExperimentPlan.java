package org.p3ostream.deploy.experiment.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.learner.task.SyntheticTask;

/**
 * A study: every scenario with every algorithm and every seed is one run. What an entry of a list
 * must say, and what must not be said twice, is checked by {@link PlanRules}.
 *
 * @param name begins the topic prefix of every run
 * @param title heading of the report
 * @param question what the study is to find out, a sentence or two
 * @param task what is learnt; warm starts, prompts and held-out prompts follow from it
 * @param steps windows of every run, ≥ 1
 * @param seeds seed of prompts and sampling, and of a warm start of its own
 * @param baseline name of the algorithm that the others are compared with, seed by seed
 * @param sweep what {@link Scenario#level} counts, with its unit; empty if the scenarios are no
 *     scale
 * @param warmStart how the weights of version 0 come about
 * @param heldOut how weights are evaluated
 * @param gate what a run has to show
 * @param settings {@code path: value} of every run, as {@code --set} takes them
 * @param scenarios what samples differ in
 * @param algorithms what is done with them
 */
public record ExperimentPlan(
    String name,
    String title,
    String question,
    SyntheticTask task,
    int steps,
    List<Long> seeds,
    String baseline,
    String sweep,
    WarmStart warmStart,
    HeldOut heldOut,
    GateRules gate,
    Map<String, String> settings,
    List<Scenario> scenarios,
    List<Contender> algorithms) {
  public ExperimentPlan {
    seeds = List.copyOf(seeds);
    settings = new TreeMap<>(settings);
    scenarios = List.copyOf(scenarios);
    algorithms = List.copyOf(algorithms);
  }

  /** What holds where a plan is silent. */
  public static ExperimentPlan defaults() {
    return new ExperimentPlan(
        "",
        "",
        "",
        SyntheticTask.CSUM8,
        120,
        List.of(),
        "",
        "",
        WarmStart.defaults(),
        HeldOut.defaults(),
        GateRules.defaults(),
        Map.of(),
        List.of(),
        List.of());
  }

  /** Ascending by their paths. */
  @Override
  public Map<String, String> settings() {
    return new TreeMap<>(settings);
  }

  /** All runs, seed by seed: a study that is cut short has whole seeds. */
  public List<PlannedRun> runs() {
    List<PlannedRun> runs = new ArrayList<>();
    for (long seed : seeds) {
      for (Scenario scenario : scenarios) {
        for (Contender algorithm : algorithms) {
          runs.add(new PlannedRun(scenario, algorithm, seed));
        }
      }
    }
    return runs;
  }

  /** Whether the scenarios are a scale. */
  public boolean hasLevels() {
    return !sweep.isEmpty();
  }
}
