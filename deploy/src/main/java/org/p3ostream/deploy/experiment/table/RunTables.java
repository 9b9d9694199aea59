package org.p3ostream.deploy.experiment.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.RunTrace;
import org.p3ostream.deploy.experiment.outcome.Verdict;

/** Run by run: what the gate says, figures, and where they come from. */
public final class RunTables {

  private RunTables() {}

  /** Verdict and figures of every run; the same whenever and however often it was executed. */
  public static Table runs(Study study) {
    List<Column> columns =
        new ArrayList<>(
            List.of(
                Column.text("scenario", "scenario"),
                Column.text("algorithm", "algorithm"),
                Column.text("seed", "seed"),
                Column.text("execution", "execution"),
                Column.text("quality", "quality"),
                Column.text("failures", "what failed"),
                Column.text("steps", "steps"),
                new Column("warmStart", "warm start", 3)));
    for (Measure measure : Measure.values()) {
      if (!measure.isCost()) {
        columns.add(new Column(measure.id(), measure.title(), measure.digits()));
      }
    }
    columns.add(Column.text("weightsSha256", "weights SHA-256"));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (RunResult run : study.results()) {
      Verdict verdict = study.verdict(run);
      List<@Nullable Object> row = identity(run);
      row.add(verdict.executed() ? "passed" : "FAILED");
      row.add(verdict.learnt() ? "passed" : "FAILED");
      row.add(verdict.failures());
      row.add(run.steps().size());
      row.add(run.warmStartReward());
      for (Measure measure : Measure.values()) {
        if (!measure.isCost()) {
          row.add(study.value(run, measure));
        }
      }
      row.add(run.trace().weightsSha256());
      rows.add(row);
    }
    return new Table("runs", "Runs", "", columns, rows);
  }

  /** What did not pass the gate; for people. */
  public static Table failures(Study study) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (RunResult run : study.results()) {
      Verdict verdict = study.verdict(run);
      if (!verdict.passed()) {
        List<@Nullable Object> row = identity(run);
        row.add(verdict.executed() ? "quality" : "execution");
        row.add(verdict.failures());
        rows.add(row);
      }
    }
    return new Table(
        "failures",
        "Runs that the gate did not let pass",
        "A run that fails the execution part did not run what its scenario says: its figures are in"
            + " runs.csv and in no mean. One that fails the quality part is a finding, and is in all"
            + " means.",
        List.of(
            Column.text("scenario", "scenario"),
            Column.text("algorithm", "algorithm"),
            Column.text("seed", "seed"),
            Column.text("part", "part"),
            Column.text("failures", "what failed")),
        rows);
  }

  /** Where the figures of every run come from, and what the run took. */
  public static Table trace(Study study) {
    List<Column> columns =
        new ArrayList<>(
            List.of(
                Column.text("scenario", "scenario"),
                Column.text("algorithm", "algorithm"),
                Column.text("seed", "seed"),
                Column.text("topicPrefix", "topic prefix"),
                Column.text("firstOffset", "first offset"),
                Column.text("lastOffset", "last offset"),
                Column.text("endOffsets", "end offsets"),
                Column.text("configHash", "configuration hash"),
                Column.text("runHash", "run hash"),
                Column.text("warmStartHash", "warm start hash"),
                Column.text("initialWeightsSha256", "weights of version 0"),
                Column.text("weightsSha256", "newest weights"),
                new Column("trainSeconds", "training, s", 1),
                new Column("wallSeconds", "in all, s", 1)));
    for (Measure measure : Measure.values()) {
      if (measure.isCost()) {
        columns.add(new Column(measure.id(), measure.title(), measure.digits()));
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (RunResult run : study.results()) {
      RunTrace trace = run.trace();
      List<@Nullable Object> row = identity(run);
      row.addAll(
          Arrays.asList(
              trace.topicPrefix(),
              trace.firstOffset(),
              trace.lastOffset(),
              trace.endOffsets().toString(),
              trace.configHash(),
              trace.runHash(),
              trace.warmStart(),
              trace.initialWeightsSha256(),
              trace.weightsSha256(),
              run.cost().trainSeconds(),
              run.cost().wallSeconds()));
      for (Measure measure : Measure.values()) {
        if (measure.isCost()) {
          row.add(study.value(run, measure));
        }
      }
      rows.add(row);
    }
    return new Table(
        "trace",
        "Where the numbers come from",
        "Topic prefix, offsets of the first and the last event of <prefix>steps, ends of the"
            + " partitions, and hashes: of the training-relevant configuration as every event has it,"
            + " of all that the run was told, and of its warm start.",
        columns,
        rows);
  }

  private static List<@Nullable Object> identity(RunResult run) {
    return new ArrayList<>(Arrays.asList(run.scenario(), run.algorithm(), run.seed()));
  }
}
