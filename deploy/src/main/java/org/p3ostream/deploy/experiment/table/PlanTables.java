package org.p3ostream.deploy.experiment.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.plan.Contender;
import org.p3ostream.deploy.experiment.plan.Expectation;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.Scenario;

/** What was run, and what the words mean. */
public final class PlanTables {

  private PlanTables() {}

  public static Table scenarios(ExperimentPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Scenario scenario : plan.scenarios()) {
      rows.add(
          Arrays.asList(
              scenario.name(),
              scenario.title(),
              settings(scenario.settings()),
              expected(scenario.expect())));
    }
    return new Table(
        "scenarios",
        "Scenarios",
        "Settings over those of the plan, and what the gate holds each run to.",
        List.of(
            Column.text("scenario", "scenario"),
            Column.text("title", "title"),
            Column.text("settings", "settings"),
            Column.text("expected", "expected")),
        rows);
  }

  public static Table algorithms(ExperimentPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Contender algorithm : plan.algorithms()) {
      rows.add(Arrays.asList(algorithm.name(), algorithm.title(), settings(algorithm.settings())));
    }
    return new Table(
        "algorithms",
        "Algorithms",
        "",
        List.of(
            Column.text("algorithm", "algorithm"),
            Column.text("title", "title"),
            Column.text("settings", "settings")),
        rows);
  }

  /** What is told of every run. */
  public static Table definitions() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      rows.add(Arrays.asList(measure.id(), measure.title(), measure.definition()));
    }
    return new Table(
        "definitions",
        "Definitions",
        "ρ = exp(log π_θ − log π_b) per token, before any cap or clip. KL = KL(π_θ ‖ π_b) over the"
            + " whole vocabulary, per token.",
        List.of(
            Column.text("measure", "name in the tables"),
            Column.text("title", "measure"),
            Column.text("definition", "what it is")),
        rows);
  }

  /** A line of {@code path=value}. */
  public static String settings(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + "=" + setting.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String expected(Expectation expect) {
    String staleness =
        expect.stalenessMin() == expect.stalenessMax()
            ? "staleness " + expect.stalenessMin()
            : "staleness " + expect.stalenessMin() + " to " + expect.stalenessMax();
    return staleness
        + (expect.fromStep() == 0 ? "" : " from step " + expect.fromStep())
        + (expect.essMin() == null ? "" : ", ESS >= " + expect.essMin());
  }
}
