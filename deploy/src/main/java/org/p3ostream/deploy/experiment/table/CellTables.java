package org.p3ostream.deploy.experiment.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.plan.Contender;
import org.p3ostream.deploy.experiment.plan.Scenario;
import org.p3ostream.deploy.experiment.statistics.MeanStd;

/** Means over the seeds of a scenario with an algorithm. */
public final class CellTables {

  private CellTables() {}

  /** Every measure of every cell that is of the runs, not of the machine. */
  public static Table summary(Study study) {
    return cells(
        study,
        "summary",
        "Means over seeds",
        "Sample standard deviation; over the runs that passed the execution part of the gate.",
        measure -> !measure.isCost());
  }

  /** The measures of machine and moment. */
  public static Table costs(Study study) {
    return cells(
        study,
        "costs",
        "What it took",
        "Other runs went on at the same time; these figures are of the machine and the moment.",
        Measure::isCost);
  }

  /** One measure for people: a row for each scenario, a column for each algorithm. */
  public static Table grid(Study study, Measure measure) {
    List<Column> columns = new ArrayList<>(List.of(Column.text("scenario", "scenario")));
    for (Contender algorithm : study.plan().algorithms()) {
      columns.add(Column.text(algorithm.name(), algorithm.title()));
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Scenario scenario : study.plan().scenarios()) {
      List<@Nullable Object> row = new ArrayList<>();
      row.add(scenario.title());
      for (Contender algorithm : study.plan().algorithms()) {
        row.add(text(study, scenario, algorithm, measure));
      }
      rows.add(row);
    }
    return new Table(
        "grid-" + measure.id(),
        capitalised(measure.title()),
        measure.definition() + ".",
        columns,
        rows);
  }

  private static Table cells(
      Study study, String id, String title, String note, Predicate<Measure> chosen) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Scenario scenario : study.plan().scenarios()) {
      for (Contender algorithm : study.plan().algorithms()) {
        for (Measure measure : Measure.values()) {
          if (chosen.test(measure)) {
            MeanStd of = MeanStd.of(study.values(scenario, algorithm, measure));
            rows.add(
                Arrays.asList(
                    scenario.name(),
                    algorithm.name(),
                    measure.id(),
                    of.n(),
                    of.n() == 0 ? null : of.mean(),
                    of.std(),
                    study.of(scenario, algorithm).size(),
                    study.executed(scenario, algorithm).size()));
          }
        }
      }
    }
    return new Table(
        id,
        title,
        note,
        List.of(
            Column.text("scenario", "scenario"),
            Column.text("algorithm", "algorithm"),
            Column.text("measure", "measure"),
            Column.text("n", "n"),
            new Column("mean", "mean", 4),
            new Column("std", "std", 4),
            Column.text("runs", "runs"),
            Column.text("executed", "executed")),
        rows);
  }

  private static @Nullable String text(
      Study study, Scenario scenario, Contender algorithm, Measure measure) {
    MeanStd of = MeanStd.of(study.values(scenario, algorithm, measure));
    int runs = study.of(scenario, algorithm).size();
    int failed = runs - study.executed(scenario, algorithm).size();
    if (runs == 0 || (of.n() == 0 && failed == 0)) {
      return null;
    }
    StringBuilder text = new StringBuilder(Markdown.number(of.mean(), measure.digits()));
    Double std = of.std();
    if (std != null && measure != Measure.COLLAPSED) {
      text.append(" ± ").append(Markdown.number(std, measure.digits()));
    }
    int collapsed = collapsed(study, scenario, algorithm);
    if (measure == Measure.HELD_OUT && collapsed > 0) {
      text.append(" (").append(collapsed).append('/').append(of.n()).append(" collapsed)");
    }
    if (failed > 0) {
      text.append(" [").append(failed).append(" of ").append(runs).append(" failed]");
    }
    return text.toString();
  }

  private static int collapsed(Study study, Scenario scenario, Contender algorithm) {
    return (int) Arrays.stream(study.values(scenario, algorithm, Measure.COLLAPSED)).sum();
  }

  private static String capitalised(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
