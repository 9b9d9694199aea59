package org.p3ostream.deploy.experiment.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.outcome.Results;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlanReader;
import org.p3ostream.deploy.experiment.plan.Plans;

class StudyTablesTest {

  private static final RunResult FAILED =
      Results.of("lag2", "p3o", 2, "learner: loss NaN", 0, Results.steps(12, 2));

  private static Study study(RunResult... results) {
    return new Study(Plans.study(), List.of(results));
  }

  @Test
  void runThatFailedIsInNoMeanButInTheTables() {
    Study study = study(Results.good("p3o", 1, 0.8), FAILED);
    assertThat(study.executed()).isEqualTo(1);
    assertThat(CellTables.grid(study, Measure.HELD_OUT).rows().get(1))
        .containsExactly("lag 2", null, "0.800 [1 of 2 failed]", null);
    assertThat(Csv.of(RunTables.runs(study)))
        .contains("\nlag2,p3o,2,FAILED,FAILED,NOT ended (learner: loss NaN); NOT steps")
        .contains("\nlag2,p3o,1,passed,passed,,30,0.3,0.8,");
    assertThat(Csv.of(CellTables.summary(study))).contains("lag2,p3o,heldOut,1,0.8,,2,1\n");
    assertThat(RunTables.failures(study).rows()).hasSize(1);
  }

  @Test
  void gridTellsSpreadAndCollapses() {
    Study study = study(Results.good("p3o", 1, 0.8), Results.good("p3o", 2, 0.1));
    assertThat(CellTables.grid(study, Measure.HELD_OUT).rows().get(1).get(2))
        .isEqualTo("0.450 ± 0.495 (1/2 collapsed)");
    assertThat(CellTables.grid(study, Measure.COLLAPSED).rows().get(1).get(2)).isEqualTo("0.50");
    assertThat(CellTables.grid(study, Measure.CAP_MEAN).rows().get(1).get(2)).isNull();
  }

  @Test
  void differencesArePairedBySeedWhereBothRan() {
    Study study =
        study(
            Results.good("grpo", 1, 0.5),
            Results.good("grpo", 2, 0.6),
            Results.good("p3o", 1, 0.7),
            FAILED,
            Results.good("cap", 2, 0.5),
            Results.good("cap", 1, 0.4));
    Table differences = Comparisons.differences(study);
    assertThat(differences.title()).isEqualTo("Differences to GRPO");
    assertThat(Csv.of(differences))
        .contains("heldOut,lag2,p3o,1,0.19999999999999996,,,,\n")
        .contains("heldOut,lag2,cap,2,-0.09999999999999998,")
        .contains("heldOut,fresh,p3o,0,,,,,\n");
  }

  @Test
  void correlationIsOfTheLevelWithTheMeanEssSeedBySeedAndOverAll() {
    ExperimentPlan sweep =
        PlanReader.read(
            "sweep.yaml",
            Plans.YAML
                .replace("baseline: grpo", "baseline: grpo\nsweep: lag")
                .replace("- name: fresh", "- name: fresh\n    level: 0")
                .replace("- name: lag2", "- name: lag2\n    level: 2"));
    List<StepFigures> stale =
        Results.steps(30, 2).stream().map(step -> Results.figures(step, 0.5, 1)).toList();
    Study study =
        new Study(
            sweep,
            List.of(
                Results.of("fresh", "p3o", 1, null, 0.8, Results.steps(30, 0)),
                Results.of("lag2", "p3o", 1, null, 0.8, stale)));
    assertThat(Csv.of(Comparisons.correlations(study)))
        .contains("p3o,1,2,-1.0\n", "p3o,2,0,\n", "p3o,all,2,-1.0\n");
  }

  @Test
  void csvQuotesWhatItMustAndMarkdownEscapes() {
    Table table =
        new Table(
            "t",
            "T",
            "",
            List.of(Column.text("a", "A"), new Column("b", "B", 2)),
            List.of(Arrays.asList("x,\"y\"|", 1234.567), Arrays.asList("z", null)));
    assertThat(Csv.of(table)).isEqualTo("a,b\n\"x,\"\"y\"\"|\",1234.567\nz,\n");
    assertThat(Markdown.of(table, 3))
        .isEqualTo("### T\n\n| A | B |\n| --- | ---: |\n| x,\"y\"\\| | 1,234.57 |\n| z | – |\n\n");
  }

  @Test
  void markdownTellsTheTwoInfinitiesApart() {
    Column column = new Column("b", "B", 2);
    assertThat(Markdown.shown(Double.POSITIVE_INFINITY, column)).isEqualTo("∞");
    assertThat(Markdown.shown(Double.NEGATIVE_INFINITY, column)).isEqualTo("−∞");
    assertThat(Markdown.shown(Double.NaN, column)).isEqualTo("–");
  }

  @Test
  void tracesNameTopicPrefixOffsetsAndHashes() {
    assertThat(Csv.of(RunTables.trace(study(Results.good("p3o", 1, 0.8)))))
        .contains(
            "lag2,p3o,1,study.lag2_p3o_1.1.,0,60,{steps-0=61},config-hash,run-hash,warm-start");
  }
}
