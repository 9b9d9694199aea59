package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepLogs;

class AlertsHandlerTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final StepLog steps = new StepLog(Records.RUN);
  private final MetricsServer server =
      new MetricsServer(Fixture.OPEN, registry, Fixture.of(steps), new Health(Map.of(), Map.of()));

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void apiAndMetricsSayTheSame() throws Exception {
    StepMetrics low = StepMetrics.newBuilder(Records.metrics(0.5)).setNormalizedEss(0.1).build();
    StepLogs.add(
        steps,
        Records.step(0)
            .setMetrics(low)
            .setSkipped(Collections.nCopies(5, Records.skipped(0, RejectionReason.UNDECODABLE)))
            .build());

    JsonNode alerts = json("/api/alerts");

    assertThat(alerts.get("firing").asInt()).isEqualTo(2);
    assertThat(alerts.get("now").asLong()).isEqualTo(Records.NOW + 1000);
    Map<String, String> gauges = Map.of("OK", "0.0", "FIRING", "1.0", "UNKNOWN", "NaN");
    for (JsonNode alert : alerts.get("alerts")) {
      assertThat(registry.scrape())
          .contains(
              "p3o_alert_firing{alert=\"%s\"} %s\n"
                  .formatted(alert.get("rule").asText(), gauges.get(alert.get("state").asText())));
    }
    assertThat(alerts.at("/alerts/0/state").asText()).isEqualTo("FIRING");
    assertThat(alerts.at("/alerts/2/state").asText()).isEqualTo("UNKNOWN");
    assertThat(alerts.at("/alerts/4/state").asText()).isEqualTo("FIRING");
  }

  /** Reading them takes as long as there are producers. */
  @Test
  void aScrapeReadsTheProducersOnce() {
    AtomicInteger reads = new AtomicInteger();
    Vertx vertx = Vertx.vertx();
    try (BoundedWorker worker = new BoundedWorker(vertx, "reads", 1)) {
      PrometheusMeterRegistry scraped = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      Supplier<List<ProducerSilence>> producers =
          () -> {
            reads.incrementAndGet();
            return List.of();
          };
      new AlertsHandler(steps, producers, Clock.systemUTC(), worker).bindTo(scraped);

      assertThat(scraped.scrape()).contains("p3o_alert_firing");
      assertThat(reads).hasValue(1);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  void runsSayHowTheRunBeganAndStands() throws Exception {
    StepLogs.addGenesis(steps, Records.NOW);
    StepLogs.addSteps(steps, 0, 3);

    JsonNode run = json("/api/runs").at("/runs/0");

    assertThat(run.get("state").asText()).isEqualTo("RUNNING");
    assertThat(run.get("scheduleSteps").asLong()).isEqualTo(150);
    assertThat(run.get("newestStep").asLong()).isEqualTo(2);
    assertThat(run.get("secondsSinceLastStep").asDouble()).isEqualTo(1.0);
    assertThat(run.get("forkOf").isNull()).isTrue();
  }

  private JsonNode json(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return new ObjectMapper()
        .readTree(
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body());
  }
}
