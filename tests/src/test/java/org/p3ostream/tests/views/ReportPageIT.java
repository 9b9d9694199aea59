package org.p3ostream.tests.views;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.deploy.report.Fact;
import org.p3ostream.deploy.report.ReportDirectory;
import org.p3ostream.deploy.report.RunReport;
import org.p3ostream.deploy.report.StepSeries;
import org.p3ostream.tests.streams.LedgerEvents;

/** The report of a run as a file in a browser. */
@Tag("browser")
class ReportPageIT {
  private static final String HOSTILE = "</script><img src=http://evil.example/x onerror=alert(1)>";

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
  @CsvSource({"light,1280,false", "dark,1280,true", "phone,390,false", "phone-dark,390,true"})
  void reportDrawsEveryPlotAndAsksForNothingElse(String name, int width, boolean dark)
      throws Exception {
    URI page = write(150);
    open(page, width, dark);

    assertThat(browser.text("h1")).isEqualTo("A run");
    assertThat(browser.value("document.documentElement.dataset.theme").asText())
        .isEqualTo(dark ? "dark" : "light");
    Plots.assertDrawn(browser);
    Plots.assertFits(browser);
    browser.screenshot("report-" + name);
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.requests()).containsOnly(page);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10_000})
  void reportOfAnyLengthComplainsOfNothing(int steps) throws Exception {
    open(write(steps), Browser.DESKTOP, false);

    assertThat(browser.value("document.querySelectorAll('.plot').length").asInt())
        .isEqualTo(Plots.COUNT);
    assertThat(browser.text("#sampled").isEmpty()).isEqualTo(steps < 10_000);
    browser.screenshot("report-of-" + steps);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void switchChangesTheColoursOfThePlotsToo() throws Exception {
    open(write(150), Browser.DESKTOP, false);

    browser.value("document.querySelector('input[value=dark]').click()");

    assertThat(browser.value("document.documentElement.dataset.theme").asText()).isEqualTo("dark");
    browser.value(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    Plots.assertDrawn(browser);
    browser.value("localStorage.clear()");
  }

  @Test
  void doubleClickShowsAllAgainAfterADragHasZoomedIn() throws Exception {
    open(write(150), Browser.DESKTOP, false);
    browser.value(
        """
        (() => {
          const over = document.querySelector('.u-over');
          const box = over.getBoundingClientRect();
          const at = (type, share, target = over) => target.dispatchEvent(new MouseEvent(type, {
            bubbles: true, clientX: box.left + share * box.width, clientY: box.top + 20, view: window }));
          at('mousemove', 0.2); at('mousedown', 0.2); at('mousemove', 0.4, document); at('mousemove', 0.4);
          at('mouseup', 0.4, document);
        })()"""
            .strip());

    assertThat(browser.value("+document.querySelector('.plot').dataset.from").asDouble())
        .isBetween(25.0, 35.0);
    assertThat(browser.value("+document.querySelector('.plot').dataset.to").asDouble())
        .isBetween(55.0, 65.0);

    browser.value(
        "document.querySelector('.u-over').dispatchEvent("
            + "new MouseEvent('dblclick', {bubbles: true, view: window}))");

    assertThat(browser.value("+document.querySelector('.plot').dataset.to").asInt()).isEqualTo(149);
  }

  @Test
  void arrowKeysReadValuesInAllPlotsAtOnce() throws Exception {
    open(write(150), Browser.DESKTOP, false);

    browser.value(
        "document.querySelector('.canvas').dispatchEvent("
            + "new KeyboardEvent('keydown', {key: 'Home', bubbles: true}))");

    assertThat(
            browser.value("[...document.querySelectorAll('.plot-unit')].map((e) => e.textContent)"))
        .hasSize(Plots.COUNT)
        .allMatch(place -> place.asText().equals("step 0"));
    assertThat(browser.text("[aria-live]")).startsWith("Reward, step 0: step 0.270");
  }

  @Test
  void textsOfTheRunStayTexts() throws Exception {
    URI page = write(HOSTILE, 3);
    open(page, Browser.DESKTOP, false);

    assertThat(browser.text("h1")).isEqualTo(HOSTILE);
    assertThat(browser.value("document.querySelectorAll('img').length").asInt()).isZero();
    assertThat(browser.requests()).containsOnly(page);
    assertThat(browser.complaints()).isEmpty();
  }

  private static void open(URI page, int width, boolean dark) throws Exception {
    browser.emulate(width, dark);
    browser.complaints();
    browser.requests();
    browser.open(page);
  }

  private URI write(int steps) {
    return write("A run", steps);
  }

  private URI write(String title, int steps) {
    StepSeries series = new StepSeries();
    series.add(LedgerEvents.genesis(0).build());
    for (int step = 0; step < steps; step++) {
      series.add(LedgerEvents.step(step, (step + 1) * 150L).build());
    }
    ReportDirectory reports = ReportDirectory.at(directory);
    reports.write(
        new RunReport(
            title,
            "Reinforcement learning of a task.",
            null,
            List.of(new Fact("Training reward", "0.311 → 0.972", "mean of ten steps")),
            List.of(new Fact("seed", "42")),
            series));
    return reports.page().toUri();
  }
}
