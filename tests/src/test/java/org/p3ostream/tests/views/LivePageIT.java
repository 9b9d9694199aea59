package org.p3ostream.tests.views;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.streams.runtime.StreamsClients;
import org.p3ostream.tests.streams.LedgerScript;
import org.p3ostream.tests.streams.MetricsRun;
import org.p3ostream.tests.support.LocalStackExtension;

/** The dashboard of a service that follows a log of known content, in a browser. */
@Tag("browser")
@ExtendWith(LocalStackExtension.class)
class LivePageIT {
  private static final Duration PATIENCE = Duration.ofSeconds(180);

  private static final JsonNode SIGN_IN = TextNode.valueOf("P3O Stream: sign in");

  private static final String LAST_IN_VIEW =
      "[...document.querySelectorAll('.plot')].map((plot) => plot.dataset.to)";

  @TempDir private Path directory;
  private final int port = FreePorts.onLoopback(1).get(0);
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    browser = Browser.startOrSkip();
  }

  @AfterEach
  void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void pageShowsStepsAsTheyComeAndSurvivesRestartsOfTheServer(LocalStack stack) throws Exception {
    TopicCatalogue topics = create(stack, "live.");
    TopicCatalogue another = create(stack, "live-another.");
    try (LedgerScript script = script(stack, topics);
        LedgerScript anotherScript = script(stack, another)) {
      script.commitGenesis();
      commitSteps(script, 0, 40);
      try (MetricsService service = service(stack, topics)) {
        service.start();
        browser.emulate(Browser.DESKTOP, false);
        browser.open(URI.create("http://127.0.0.1:" + port + "/"));
        browser.value("window.notReloaded = true");
        awaitSteps(40, "live");
        commitSteps(script, 40, 60);
        awaitSteps(60, "live");
        assertThat(browser.text("#detail")).contains("run " + LedgerScript.RUN, "p3o/step/proxy");
        lookAround();
        assertThat(browser.complaints()).allMatch(LivePageIT::isOfAPanelThatIsNotReady);
        assertThat(browser.requests())
            .isNotEmpty()
            .allMatch(
                request -> request.getHost().equals("127.0.0.1") && request.getPort() == port);
      }
      await().atMost(PATIENCE).until(() -> browser.text("#state").startsWith("connection lost"));

      commitSteps(script, 60, 70);
      try (MetricsService service = service(stack, topics)) {
        service.start();
        awaitSteps(70, "live");
      }

      anotherScript.commitGenesis();
      commitSteps(anotherScript, 0, 5);
      try (MetricsService service = service(stack, another)) {
        service.start();
        awaitSteps(5, "live");
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(
                            browser.value("document.querySelector('#samples input').value").asInt())
                        .as("step of the samples, of the run that is shown")
                        .isLessThan(5));
      }
      assertThat(browser.value("window.notReloaded").asBoolean()).isTrue();
    }
  }

  @Test
  void pageAsksForTheTokenWhenTheServerComesBackWithAnother(LocalStack stack) throws Exception {
    TopicCatalogue topics = create(stack, "token.");
    try (LedgerScript script = script(stack, topics)) {
      script.commitGenesis();
      commitSteps(script, 0, 3);
    }
    try (MetricsService service = service(stack, topics, "the-first-of-two-tokens")) {
      service.start();
      browser.emulate(Browser.DESKTOP, false);
      browser.open(URI.create("http://127.0.0.1:" + port + "/?token=the-first-of-two-tokens"));
      awaitSteps(3, "live");
    }
    try (MetricsService service = service(stack, topics, "the-second-of-two-tokens")) {
      service.start();

      await()
          .atMost(PATIENCE)
          .ignoreExceptions() // of a page that is just going
          .until(() -> browser.value("document.title"), SIGN_IN::equals);
    }
  }

  @Test
  void tenThousandStepsAreHeldAsFewAndFurtherOnesStillCome(LocalStack stack) throws Exception {
    TopicCatalogue topics = create(stack, "long.");
    try (LedgerScript script = script(stack, topics)) {
      script.commitGenesis();
      script.commitStepsAtOnce(0, 10_000);
      try (MetricsService service = service(stack, topics)) {
        service.start();
        browser.emulate(Browser.DESKTOP, false);
        browser.open(URI.create("http://127.0.0.1:" + port + "/"));
        awaitTotal(10_000);
        script.commitStepsAtOnce(10_000, 13_000);
        awaitTotal(13_000);

        assertThat(browser.value("window.p3oSteps().length").asInt()).isLessThanOrEqualTo(2_000);
        assertThat(browser.value("window.p3oSteps().at(-1)").asInt()).isEqualTo(12_999);
        Plots.assertDrawn(browser, Plots.DASHBOARD);
        browser.screenshot("live-long");
      }
    }
  }

  private void awaitTotal(int steps) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode shown = browser.value("({...document.getElementById('plots').dataset})");
              assertThat(shown.path("steps").asInt()).isEqualTo(steps);
              assertThat(shown.path("missing").asInt()).isZero();
              assertThat(shown.path("points").asInt()).isLessThanOrEqualTo(2_000);
            });
  }

  /** A browser notes every answer that is an error; pages cannot keep it from that. */
  static boolean isOfAPanelThatIsNotReady(String complaint) {
    return complaint.contains("/api/")
        && (complaint.contains("status of 503") || complaint.contains("status of 404"));
  }

  private void lookAround() throws Exception {
    Plots.assertDrawn(browser, Plots.DASHBOARD);
    browser.screenshot("live-light");
    browser.emulate(Browser.DESKTOP, true);
    await().atMost(PATIENCE).untilAsserted(() -> Plots.assertDrawn(browser, Plots.DASHBOARD));
    browser.screenshot("live-dark");
    browser.emulate(Browser.PHONE, false);
    await().atMost(PATIENCE).untilAsserted(() -> Plots.assertDrawn(browser, Plots.DASHBOARD));
    Plots.assertFits(browser);
    browser.screenshot("live-phone");
  }

  private void awaitSteps(int count, String state) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(browser.value("document.getElementById('plots').dataset.steps").asInt())
                  .isEqualTo(count);
              assertThat(browser.text("#plot-reward .plot-unit")).isEqualTo("step " + (count - 1));
              assertThat(browser.text("#state")).isEqualTo(state);
              assertThat(browser.value(LAST_IN_VIEW))
                  .hasSize(Plots.DASHBOARD)
                  .allMatch(last -> last.asInt() == count - 1);
            });
  }

  private static void commitSteps(LedgerScript script, long from, long end) {
    for (long step = from; step < end; step++) {
      script.commitStep(step, List.of(script.publish(1, 0)));
    }
  }

  private MetricsService service(LocalStack stack, TopicCatalogue topics) {
    return service(stack, topics, null);
  }

  private MetricsService service(LocalStack stack, TopicCatalogue topics, @Nullable String token) {
    StreamsConfig config =
        new StreamsConfig(
            "127.0.0.1",
            port,
            directory.resolve(topics.prefix() + "state").toString(),
            null,
            1,
            30,
            token,
            null,
            null,
            null);
    return new MetricsService(
        new StreamsSettings(LedgerScript.RUN, topics.prefix(), config),
        new StreamsClients(
            Map.of("bootstrap.servers", stack.bootstrapServers()), () -> codec(stack)),
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  private static LedgerScript script(LocalStack stack, TopicCatalogue topics) {
    return new LedgerScript(stack.bootstrapServers(), topics, codec(stack));
  }

  private static RecordCodec codec(LocalStack stack) {
    return RecordCodec.create(
        RegistryAvroSerializer.class.getName(),
        RegistryAvroDeserializer.class.getName(),
        Map.of("schema.registry.url", stack.registryUrl()));
  }

  private static TopicCatalogue create(LocalStack stack, String prefix) throws Exception {
    TopicCatalogue topics = new TopicCatalogue(prefix);
    new MetricsRun(stack, topics).createTopics();
    return topics;
  }
}
