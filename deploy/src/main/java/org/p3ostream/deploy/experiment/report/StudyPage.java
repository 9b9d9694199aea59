package org.p3ostream.deploy.experiment.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.Contender;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.Scenario;
import org.p3ostream.deploy.experiment.table.Markdown;
import org.p3ostream.deploy.experiment.table.PlanTables;
import org.p3ostream.deploy.experiment.table.Study;
import org.p3ostream.deploy.experiment.table.Table;
import org.p3ostream.deploy.report.HtmlTemplate;

/**
 * The report as a page. Curves and points are of every run that is over, also of those that the
 * gate did not let pass; numbers have four digits, which no plot can show more of.
 */
final class StudyPage {

  private static final MathContext DIGITS = new MathContext(4);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** What is drawn step by step. */
  private static final Map<String, Function<StepFigures, @Nullable Double>> CURVES = curves();

  private StudyPage() {}

  static String of(Study study) {
    return HtmlTemplate.fill(
        StudyPage.class, "study.html", "study.js", HtmlTemplate.inScript(data(study)));
  }

  private static Map<String, Function<StepFigures, @Nullable Double>> curves() {
    Map<String, Function<StepFigures, @Nullable Double>> curves = new LinkedHashMap<>();
    curves.put("reward", StepFigures::reward);
    curves.put("ess", StepFigures::ess);
    curves.put("cap", StepFigures::cap);
    curves.put("kl", StepFigures::klExactMean);
    curves.put("gradNorm", StepFigures::gradNorm);
    curves.put("clipFraction", StepFigures::clipFraction);
    curves.put("ratioAboveOne", StepFigures::ratioAboveOne);
    return curves;
  }

  private static ObjectNode data(Study study) {
    ExperimentPlan plan = study.plan();
    ObjectNode data = JSON.objectNode();
    data.put("title", plan.title());
    data.put("question", plan.question().strip());
    data.put("status", MarkdownReport.status(study).replace("**", ""));
    data.put("steps", plan.steps());
    data.put("runs", study.results().size());
    data.put("executed", study.executed());
    data.put("passed", study.passed());
    data.put("planned", plan.runs().size());
    data.put("sweep", plan.sweep());
    data.put("settings", PlanTables.settings(plan.settings()));
    ArrayNode rules = data.putArray("rules");
    study.rules().forEach(rules::add);
    ArrayNode seeds = data.putArray("seeds");
    plan.seeds().forEach(seed -> seeds.add(Long.toString(seed)));
    ArrayNode algorithms = data.putArray("algorithms");
    for (Contender algorithm : plan.algorithms()) {
      algorithms.addObject().put("name", algorithm.name()).put("title", algorithm.title());
    }
    ArrayNode scenarios = data.putArray("scenarios");
    for (Scenario scenario : plan.scenarios()) {
      scenarios
          .addObject()
          .put("name", scenario.name())
          .put("title", scenario.title())
          .put("level", scenario.level());
    }
    ArrayNode runs = data.putArray("results");
    study.results().forEach(run -> runs.add(run(study, run)));
    ArrayNode tables = data.putArray("tables");
    StudyTables.shown(study).forEach(table -> tables.add(table(table)));
    return data;
  }

  private static ObjectNode run(Study study, RunResult run) {
    ObjectNode node = JSON.objectNode();
    node.put("scenario", run.scenario());
    node.put("algorithm", run.algorithm());
    node.put("seed", Long.toString(run.seed()));
    node.put("executed", study.verdict(run).executed());
    node.put("warmStart", rounded(run.warmStartReward()));
    node.put("heldOut", rounded(study.value(run, Measure.HELD_OUT)));
    node.put("essMean", rounded(study.value(run, Measure.ESS_MEAN)));
    ObjectNode curves = node.putObject("curves");
    CURVES.forEach(
        (name, figure) -> {
          if (run.steps().stream().anyMatch(step -> figure.apply(step) != null)) {
            ArrayNode values = curves.putArray(name);
            run.steps().forEach(step -> values.add(rounded(figure.apply(step))));
          }
        });
    return node;
  }

  private static @Nullable BigDecimal rounded(@Nullable Double value) {
    return value == null || !Double.isFinite(value)
        ? null
        : new BigDecimal(value).round(DIGITS).stripTrailingZeros();
  }

  private static ObjectNode table(Table table) {
    ObjectNode node = JSON.objectNode();
    node.put("id", table.id());
    node.put("title", table.title());
    node.put("note", table.note().replace("*", ""));
    ArrayNode columns = node.putArray("columns");
    table.columns().forEach(column -> columns.add(column.title()));
    ArrayNode rows = node.putArray("rows");
    for (List<@Nullable Object> row : table.rows()) {
      ArrayNode cells = rows.addArray();
      for (int i = 0; i < row.size(); i++) {
        cells.add(Markdown.shown(row.get(i), table.columns().get(i)));
      }
    }
    return node;
  }
}
