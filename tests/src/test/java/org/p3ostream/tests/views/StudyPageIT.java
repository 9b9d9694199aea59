package org.p3ostream.tests.views;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.deploy.experiment.outcome.Audited;
import org.p3ostream.deploy.experiment.outcome.Evaluated;
import org.p3ostream.deploy.experiment.outcome.RunCost;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.RunTrace;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.report.StudyReport;
import org.p3ostream.deploy.experiment.run.ShippedPlans;
import org.p3ostream.deploy.experiment.table.Study;

/** The report of a study as a file in a browser. */
@Tag("browser")
class StudyPageIT {

  /** Seven curves, the points of all runs, and the plot of the sweep. */
  private static final int PLOTS = 9;

  private static Browser browser;
  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.startOrSkip();
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"light,1280,false", "dark,1280,true", "phone,390,false"})
  void pageDrawsEveryPlotAndAsksForNothingElse(String name, int width, boolean dark)
      throws Exception {
    URI page = write(true);
    open(page, width, dark);

    assertThat(browser.text("h1")).isEqualTo("Lag from 0 to 16 policy versions");
    assertThat(browser.value("document.querySelectorAll('.plot canvas').length").asInt())
        .isEqualTo(PLOTS);
    assertThat(browser.value("document.getElementById('warning').hidden").asBoolean()).isTrue();
    Plots.assertFits(browser);
    browser.screenshot("study-" + name);
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.requests()).containsOnly(page);
  }

  @Test
  void choiceOfScenarioAndSeedChangesTheCurves() throws Exception {
    open(write(true), Browser.DESKTOP, false);
    String ess = "#plot-ess .amount";
    assertThat(browser.text(ess)).isEqualTo("1");

    browser.value("document.querySelector('#scenario input[value=lag16]').click()");
    assertThat(browser.text(ess)).isEqualTo("0.837");

    browser.value("document.querySelector(\"#seed input[value='2026']\").click()");
    assertThat(browser.text(ess)).isEqualTo("0.830");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void studyWithoutAnyResultComplainsOfNothing() throws Exception {
    open(write(false), Browser.DESKTOP, false);

    assertThat(browser.text("#warning")).startsWith("Unfinished: 0 of 90 runs.");
    assertThat(browser.complaints()).isEmpty();
  }

  private static void open(URI page, int width, boolean dark) throws Exception {
    browser.emulate(width, dark);
    browser.complaints();
    browser.requests();
    browser.open(page);
  }

  private URI write(boolean whole) {
    ExperimentPlan plan = ShippedPlans.find("lag-sweep").plan();
    List<RunResult> results =
        whole ? plan.runs().stream().map(run -> result(plan, run)).toList() : List.of();
    return StudyReport.write(directory, new Study(plan, results)).toUri();
  }

  /** The ESS falls by a hundredth with every version of lag, and with the seed. */
  private static RunResult result(ExperimentPlan plan, PlannedRun run) {
    int lag = run.scenario().expect().stalenessMax();
    double ess = 1 - lag / 100.0 - (run.seed() == 2026 && lag > 0 ? 0.01 : 0);
    List<StepFigures> steps =
        IntStream.range(0, plan.steps())
            .mapToObj(step -> step(step, Math.min(step, lag), ess))
            .toList();
    return new RunResult(
        RunResult.FORMAT,
        run.id(),
        run.scenario().name(),
        run.algorithm().name(),
        run.seed(),
        null,
        0.3,
        List.of(new Evaluated(plan.steps(), 0.95 - lag / 50.0)),
        new Audited(plan.steps(), 0, List.of()),
        steps,
        new RunTrace("p.", "run", "config", "warm", "initial", "weights", 0, 1, Map.of()),
        new RunCost(10, 20, 1, 1, 1));
  }

  private static StepFigures step(long step, long staleness, double ess) {
    return new StepFigures(
        step,
        step,
        true,
        step + 1,
        0.3 + step / 200.0,
        ess,
        ess,
        0.5,
        0.01,
        1.2,
        0.4,
        0.001,
        0.002,
        0.03,
        1.5,
        -0.1,
        staleness,
        (double) staleness,
        staleness,
        500L);
  }
}
