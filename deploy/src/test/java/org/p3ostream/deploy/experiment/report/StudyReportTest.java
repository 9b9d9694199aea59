package org.p3ostream.deploy.experiment.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.experiment.outcome.Results;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlanReader;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;
import org.p3ostream.deploy.experiment.run.ShippedPlans;
import org.p3ostream.deploy.experiment.table.Study;

class StudyReportTest {

  private static final Pattern DATA =
      Pattern.compile(
          "<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

  private static final RunResult FAILED =
      Results.of("lag2", "p3o", 2, "learner: </script>", 0, Results.steps(12, 2));

  private static Study study() {
    return new Study(
        Plans.study(), List.of(Results.good("grpo", 1, 0.7), Results.good("p3o", 1, 0.8), FAILED));
  }

  @Test
  void writeMakesPageTextAndTables(@TempDir Path directory) throws Exception {
    Path page = StudyReport.write(directory.resolve("report"), study());
    assertThat(page).exists();
    try (var files = Files.list(directory.resolve("report"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "report.html",
              "report.md",
              "summary.csv",
              "costs.csv",
              "runs.csv",
              "differences.csv",
              "trace.csv");
    }
    StudyReport.write(directory.resolve("report"), study()); // replaces what it wrote
  }

  @Test
  void sweepHasItsCorrelations(@TempDir Path directory) {
    StudyReport.write(directory, new Study(ShippedPlans.find("lag-sweep").plan(), List.of()));
    assertThat(directory.resolve("correlations.csv"))
        .content()
        .startsWith("algorithm,seed,n,spearman\ngrpo-0.2,42,0,\n");
    assertThat(directory.resolve("report.md"))
        .content()
        .contains("## Correlation of ESS with lag, policy versions");
  }

  @Test
  void markdownTellsWhatIsMissingAndWhatFailed() {
    String text = MarkdownReport.of(study());
    assertThat(text)
        .contains(
            "**Unfinished: 3 of 12 runs.**",
            "3 runs of 30 steps: 2 passed the execution part of the gate, 2 the quality part too.",
            "| lag 2 | 0.700 | 0.800 [1 of 2 failed] | – |",
            "| lag2 | p3o | 2 | execution | NOT ended (learner: </script>); NOT steps (12 of 30)");
  }

  @Test
  void pageHoldsEveryRunAndNothingInItEndsAnElement() throws Exception {
    String page = StudyPage.of(study());
    JsonNode data = data(page);
    assertThat(data.get("results")).hasSize(3);
    assertThat(data.at("/results/2/executed").asBoolean()).isFalse();
    assertThat(data.at("/results/2/heldOut").isNull()).isTrue();
    assertThat(data.at("/results/2/curves/reward")).hasSize(12);
    assertThat(data.at("/results/0/curves").has("cap")).isFalse(); // no step has one
    assertThat(page.split("</script>", -1)).hasSize(5);
    assertThat(page)
        .contains("default-src 'none'")
        .doesNotContainPattern("(src|href)=\"(?!data:,)")
        .contains("uPlot (v1.", "Copyright (c) 2022 Leon Sorokin");
  }

  @Test
  void pageOfTheLargestPlanThatShipsCanBeSent() {
    ExperimentPlan plan = ShippedPlans.find("mismatch").plan();
    List<RunResult> results = new ArrayList<>();
    for (PlannedRun run : plan.runs()) {
      results.add(
          Results.of(
              run.scenario().name(),
              run.algorithm().name(),
              run.seed(),
              null,
              0.8,
              Results.steps(plan.steps(), 0)));
    }
    assertThat(StudyPage.of(new Study(plan, results))).hasSizeLessThan(1_500_000);
  }

  @Test
  void titlesArriveAsTheyAre() throws Exception {
    ExperimentPlan plan =
        PlanReader.read(
            "odd.yaml",
            Plans.YAML.replace("title: A study", "title: '</script> \"$1\" {{data}} π'"));
    assertThat(data(StudyPage.of(new Study(plan, List.of()))).get("title").asText())
        .isEqualTo("</script> \"$1\" {{data}} π");
  }

  private static JsonNode data(String page) throws Exception {
    Matcher data = DATA.matcher(page);
    assertThat(data.find()).isTrue();
    return new ObjectMapper().readTree(data.group(1));
  }
}
