package org.p3ostream.deploy.experiment.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Gate;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.outcome.RunFigures;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.Verdict;
import org.p3ostream.deploy.experiment.plan.Contender;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.Scenario;

/**
 * A plan and the results there are, in the order of its runs. Means are over runs that passed the
 * execution part of the gate; the others are counted and named.
 */
public final class Study {

  private final ExperimentPlan plan;
  private final List<RunResult> results;
  private final Gate gate;
  private final Map<String, Verdict> verdicts = new HashMap<>(); // by run id

  public Study(ExperimentPlan plan, List<RunResult> results) {
    this.plan = plan;
    this.results = List.copyOf(results);
    this.gate = new Gate(plan);
    results.forEach(result -> verdicts.put(result.id(), gate.judge(result)));
  }

  public ExperimentPlan plan() {
    return plan;
  }

  /** All results, failed runs included. */
  public List<RunResult> results() {
    return results;
  }

  /** The rules of the gate, for people. */
  public List<String> rules() {
    return gate.rules();
  }

  /** What the gate says of a result of this study. */
  public Verdict verdict(RunResult result) {
    return Objects.requireNonNull(verdicts.get(result.id()));
  }

  /** Runs that passed the execution part of the gate. */
  public long executed() {
    return results.stream().filter(result -> verdict(result).executed()).count();
  }

  /** Runs that passed both parts of the gate. */
  public long passed() {
    return results.stream().filter(result -> verdict(result).passed()).count();
  }

  /** Whether every run of the plan is over. */
  public boolean isComplete() {
    return results.size() == plan.runs().size();
  }

  /** Results of a cell, by seed as in the plan. */
  public List<RunResult> of(Scenario scenario, Contender algorithm) {
    return results.stream()
        .filter(
            result ->
                result.scenario().equals(scenario.name())
                    && result.algorithm().equals(algorithm.name()))
        .toList();
  }

  /** The same of those that passed the execution part of the gate. */
  public List<RunResult> executed(Scenario scenario, Contender algorithm) {
    return of(scenario, algorithm).stream().filter(result -> verdict(result).executed()).toList();
  }

  /** Value of a measure for a result; null if it has none. */
  public @Nullable Double value(RunResult result, Measure measure) {
    return measure.of(new RunFigures(result, plan.gate()));
  }

  /** Values over the executed runs of a cell that have one. */
  public double[] values(Scenario scenario, Contender algorithm, Measure measure) {
    return executed(scenario, algorithm).stream()
        .map(result -> value(result, measure))
        .filter(Objects::nonNull)
        .mapToDouble(value -> Objects.requireNonNull(value))
        .toArray();
  }

  /** Value of the executed run of a cell with a seed. */
  Optional<Double> value(Scenario scenario, Contender algorithm, long seed, Measure measure) {
    return executed(scenario, algorithm).stream()
        .filter(result -> result.seed() == seed)
        .findFirst()
        .map(result -> value(result, measure));
  }

  /** The algorithm that the others are compared with. */
  Contender baseline() {
    return plan.algorithms().stream()
        .filter(algorithm -> algorithm.name().equals(plan.baseline()))
        .findFirst()
        .orElseThrow();
  }
}
