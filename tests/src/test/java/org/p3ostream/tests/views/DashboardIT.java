package org.p3ostream.tests.views;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.tests.support.DemoProcess;

/** The dashboard of a demo that trains, in a browser. */
@Tag("browser")
class DashboardIT {
  /** Every group, and its ratios, is answered once that the service is busy. */
  private static final String BUSY_ONCE =
      """
      (() => {
        const real = window.fetch;
        const refused = new Set();
        window.fetch = (path, options) => {
          if (!path.startsWith("/api/groups/") || refused.has(path)) return real(path, options);
          refused.add(path);
          return Promise.resolve(new Response('{"reason": "busy"}', { status: 503 }));
        };
        return true;
      })()""";

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Pattern ADDRESS = Pattern.compile("live view (http://\\S+)");

  /** Text and background of everything that is read, as it is computed. */
  private static final String FAINT =
      """
      (() => {
        const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
        const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = (element) => {
          for (let e = element; e; e = e.parentElement) {
            const colour = channels(getComputedStyle(e).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
          }
          return [255, 255, 255];
        };
        const faint = [];
        for (const element of document.querySelectorAll('main *, header *, footer *')) {
          const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
          if (!own || !element.checkVisibility() || element.closest('.tokens, .visually-hidden, .u-over')) continue;
          const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
          if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(`${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`);
        }
        return faint;
      })()
      """;

  /** What an assistive technology would stumble over. */
  private static final String STUMBLES =
      """
      (() => {
        const found = [];
        const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
        ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.push(`id ${id} twice`));
        const named = (e) => e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length);
        document.querySelectorAll('button, a, input, [tabindex="0"]').forEach((e) => named(e) || found.push(`no name: ${e.outerHTML.slice(0, 80)}`));
        document.querySelectorAll('table').forEach((e) => e.caption || found.push('a table without caption'));
        document.querySelectorAll('th').forEach((e) => e.scope || found.push(`a head without scope: ${e.textContent}`));
        let level = 0;
        document.querySelectorAll('h1, h2, h3, h4').forEach((e) => {
          const now = Number(e.tagName[1]);
          if (now > level + 1) found.push(`h${level} then ${e.tagName}: ${e.textContent}`);
          level = now;
        });
        if (document.documentElement.lang !== 'en') found.push('no language');
        document.querySelectorAll('[aria-labelledby]').forEach((e) => document.getElementById(e.getAttribute('aria-labelledby')) || found.push('labelled by nothing'));
        return found;
      })()
      """;

  @TempDir private Path directory;
  private Browser browser;
  private DemoProcess demo;
  private Relay relay;
  private URI dashboard;
  private URI page;

  @BeforeEach
  void start() throws Exception {
    browser = Browser.startOrSkip();
    Files.createDirectory(directory.resolve("tmp"));
    demo =
        DemoProcess.start(
            "dashboard",
            directory,
            directory.resolve("tmp"),
            List.of("--steps", "3000", "--producers", "2"));
    demo.untilTraining();
    dashboard = await().atMost(PATIENCE).until(this::address, found -> found != null);
    await().atMost(PATIENCE).ignoreExceptions().until(() -> newestStep() >= 0);
    relay = new Relay(dashboard.getPort());
    page = URI.create("http://127.0.0.1:" + relay.port() + "/");
  }

  @AfterEach
  void stop() throws Exception {
    if (relay != null) {
      relay.close();
    }
    if (demo != null) {
      demo.process().terminate();
      demo.process().awaitExit(PATIENCE);
      demo.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void dashboardOfARunningDemoCanBeWatchedUsedAndLosesNothing() throws Exception {
    browser.emulate(Browser.DESKTOP, false);
    browser.open(page);
    browser.value("window.notReloaded = true");
    stepsArrive();
    figuresAndPanelsSaySomething();
    samplesOpen();
    runIsLookedAtInEveryLight();
    connectionIsLostAndComesBackWithoutAGap();
    keyboardReachesEverything();

    assertThat(browser.value("window.notReloaded").asBoolean()).isTrue();
    assertThat(browser.requests())
        .isNotEmpty()
        .allMatch(
            asked -> asked.getHost().equals("127.0.0.1") && asked.getPort() == page.getPort());
  }

  private void stepsArrive() throws Exception {
    await().atMost(PATIENCE).until(() -> steps() > 0);
    int seen = steps();
    await().atMost(PATIENCE).until(() -> steps() >= seen + 10);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(browser.text("#state")).isEqualTo("live");
              assertThat(browser.text("#run-state")).isEqualTo("running");
              assertThat(browser.text("#detail")).contains("run ", "p3o/step/exact");
            });
    assertNoGap();
  }

  private void figuresAndPanelsSaySomething() throws Exception {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(browser.text("#hero")).doesNotContain("–");
              assertThat(browser.text("#alerts")).isNotBlank();
              assertThat(browser.text("#rules")).contains("Effective sample size collapsed", "ok");
            });
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(browser.value("document.querySelectorAll('#producers tbody tr').length"))
                  .hasToString("2");
              assertThat(browser.value("document.querySelectorAll('#staleness .bar').length > 0"))
                  .hasToString("true");
              assertThat(browser.text("#latencies")).contains("dispatched → sampled");
              assertThat(browser.text("#versions tbody")).isNotBlank();
              assertThat(browser.text(".panels")).doesNotContain("Not ready");
            });
    double size =
        browser
            .value("parseFloat(getComputedStyle(document.querySelector('#hero .value')).fontSize)")
            .asDouble();
    assertThat(size).as("pixels of a large figure").isGreaterThanOrEqualTo(64);
    browser.value("document.querySelector('#snapshots summary').click()");
    await()
        .atMost(PATIENCE)
        .until(() -> browser.text("#snapshots").matches("(?s).*[0-9a-f]{64}.*"));
    browser.value("document.querySelector('#snapshots summary').click()");
  }

  private void samplesOpen() throws Exception {
    await()
        .atMost(PATIENCE)
        .until(
            () -> browser.value("document.querySelectorAll('.groups button').length").asInt() > 1);
    String second = browser.text(".groups li:nth-child(2) button");
    browser.value(BUSY_ONCE);
    browser.value("document.querySelector('.groups li:nth-child(2) button').click()");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(browser.text("#samples h3"))
                    .startsWith(second.replace("group", "Group") + ", trained in step "));
    assertThat(browser.text(".prompt")).matches("[0-9]{8}=");
    assertThat(browser.text(".response h4")).contains("reward ", "ended by ", "mean log-prob ");
    assertThat(browser.text(".response .tokens")).containsPattern("[0-9]");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(browser.text(".ratio-note"))
                    .startsWith("Ratio of the policy that step"));
    assertThat(browser.value("document.querySelector('.samples').dataset.by").asText())
        .isEqualTo("ratio");
    assertThat(browser.value("document.querySelectorAll('.response .tokens [data-r]').length"))
        .isNotEqualTo(IntNode.valueOf(0));
    browser.value("document.querySelector('button[data-by=probability]').click()");
    assertThat(browser.text(".legend[data-of=probability]")).contains("behaviour probability");
    browser.value("document.querySelector('button[data-by=ratio]').click()");

    String group = second.replace("group ", "");
    JsonNode told = json("api/groups/" + group);
    assertThat(told.at("/prompt").asText()).isEqualTo(browser.text(".prompt"));
    assertThat(told.at("/responses/0/tokens/0/behaviorLogprob").asDouble()).isLessThanOrEqualTo(0);
    ratiosAreThoseOfTheStep(told.at("/step").asLong());
  }

  /** All groups of a step together have the statistics that the learner reported. */
  private void ratiosAreThoseOfTheStep(long step) throws Exception {
    List<Double> ratios = new ArrayList<>();
    for (JsonNode group : json("api/groups?step=" + step).at("/groups")) {
      for (JsonNode response :
          json("api/groups/" + group.at("/groupId").asLong() + "/ratios").at("/responses")) {
        response.forEach(ratio -> ratios.add(ratio.asDouble()));
      }
    }
    JsonNode reported = json("api/steps?from=" + step + "&limit=1").at("/steps/0/training");
    assertThat(ratios).hasSize(reported.at("/validTokens").asInt());
    assertThat(ratios.stream().mapToDouble(ratio -> ratio).average().orElseThrow())
        .isCloseTo(reported.at("/ratioMean").asDouble(), within(1e-6));
    assertThat(ratios.stream().mapToDouble(ratio -> ratio).max().orElseThrow())
        .isCloseTo(reported.at("/ratioMax").asDouble(), within(1e-6));
  }

  private void runIsLookedAtInEveryLight() throws Exception {
    await().atMost(PATIENCE).until(() -> steps() >= 150);
    await().atMost(PATIENCE).untilAsserted(() -> Plots.assertDrawn(browser, Plots.DASHBOARD));
    looksGood("dashboard-light");
    browser.value("document.querySelector('input[value=dark]').click()");
    assertThat(browser.value("document.documentElement.dataset.theme").asText()).isEqualTo("dark");
    await().atMost(PATIENCE).untilAsserted(() -> Plots.assertDrawn(browser, Plots.DASHBOARD));
    looksGood("dashboard-dark");
    browser.emulate(Browser.PHONE, false);
    browser.value("document.querySelector('input[value=light]').click()");
    await().atMost(PATIENCE).untilAsserted(() -> Plots.assertDrawn(browser, Plots.DASHBOARD));
    looksGood("dashboard-phone");
    browser.emulate(Browser.DESKTOP, false);
    browser.value("document.querySelector('input[value=auto]').click()");
  }

  private void looksGood(String name) throws Exception {
    Plots.assertFits(browser);
    browser.screenshot(name);
    browser.screenshot(name + "-top", 900);
    assertThat(browser.value(FAINT.strip())).as("too faint, %s", name).isEmpty();
    assertThat(browser.value(STUMBLES.strip())).as("stumbles, %s", name).isEmpty();
  }

  private void connectionIsLostAndComesBackWithoutAGap() throws Exception {
    relay.cut();
    await().atMost(PATIENCE).until(() -> browser.text("#state").startsWith("connection lost"));
    int shown = steps();
    await().atMost(PATIENCE).until(() -> newestStep() > shown + 5);
    relay.mend();
    await().atMost(PATIENCE).until(() -> browser.text("#state").equals("live"));
    await().atMost(PATIENCE).until(() -> steps() > shown + 5);
    assertNoGap();
  }

  /** Steps drawn are all steps from the first on; the server was asked for each once. */
  private void assertNoGap() throws Exception {
    JsonNode drawn = browser.value("window.p3oSteps()");
    List<Integer> ids = new ArrayList<>();
    drawn.forEach(id -> ids.add(id.asInt()));
    assertThat(ids).isNotEmpty().hasSizeLessThan(2_001);
    for (int i = 0; i < ids.size(); i++) {
      assertThat(ids.get(i)).isEqualTo(i);
    }
    assertThat(browser.value("document.getElementById('plots').dataset.missing").asInt()).isZero();
    assertThat(browser.value("document.getElementById('gap').hidden").asBoolean()).isTrue();
  }

  private void keyboardReachesEverything() throws Exception {
    browser.value(
        "(scrollTo(0, 0), document.activeElement.blur(), getSelection().collapse(document.body, 0))");
    browser.press(Browser.TAB);
    assertThat(browser.value("document.activeElement.className").asText()).isEqualTo("skip");
    browser.press(Browser.ENTER);
    assertThat(browser.value("document.activeElement.id").asText()).isEqualTo("main");
    Set<String> reached = new HashSet<>();
    for (int i = 0; i < 60; i++) {
      browser.press(Browser.TAB);
      JsonNode here =
          browser.value(
              "[document.activeElement.className || document.activeElement.tagName,"
                  + " getComputedStyle(document.activeElement).outlineStyle]");
      reached.add(here.get(0).asText());
      assertThat(here.get(1).asText()).as("focus on %s", here.get(0)).isNotEqualTo("none");
      if (here.get(0).asText().equals("tokens")) {
        break;
      }
    }
    assertThat(reached).contains("canvas", "BUTTON", "INPUT", "tokens");
    browser.press(Browser.ARROW_RIGHT);
    assertThat(browser.text(".readout-line")).startsWith("token 1 of ");
  }

  private int steps() throws Exception {
    return browser.value("+document.getElementById('plots').dataset.steps").asInt();
  }

  private long newestStep() throws Exception {
    return json("api/runs").at("/runs/0/newestStep").asLong();
  }

  private JsonNode json(String path) throws Exception {
    return new ObjectMapper()
        .readTree(
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(dashboard.resolve(path)).build(),
                    HttpResponse.BodyHandlers.ofString())
                .body());
  }

  private URI address() {
    return demo.process().lastLogLines(400).stream()
        .map(ADDRESS::matcher)
        .filter(Matcher::find)
        .map(found -> URI.create(found.group(1)))
        .findFirst()
        .orElse(null);
  }
}
