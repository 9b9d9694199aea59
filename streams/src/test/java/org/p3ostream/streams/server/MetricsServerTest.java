package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepLogs;
import org.p3ostream.streams.web.WebAsset;

class MetricsServerTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final PrometheusMeterRegistry REGISTRY =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private static volatile Condition streams = new Condition(true, "RUNNING");
  private static MetricsServer server;

  @BeforeAll
  static void bind() {
    Health health =
        new Health(
            Map.of("service", () -> new Condition(true, "working")),
            Map.of("streams", () -> streams, "topics", () -> new Condition(true, "all there")));
    server = new MetricsServer(Fixture.OPEN, REGISTRY, Fixture.of(StepLogs.ofSteps(5)), health);
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @Test
  void stepsAreAPageWithTheNextOneNamedWhenThereIsMore() throws Exception {
    HttpResponse<String> answer = get("/api/steps?from=1&limit=2");

    JsonNode page = json(answer);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(page.at("/runId").asText()).isEqualTo("run-a");
    assertThat(page.at("/steps")).hasSize(2);
    assertThat(page.at("/steps/0/step").asLong()).isEqualTo(1);
    assertThat(page.at("/steps/0/training/stalenessP95").asLong()).isEqualTo(1);
    assertThat(page.at("/nextFrom").asLong()).isEqualTo(3);
  }

  @Test
  void stepsNameNoNextPageWhenTheNewestIsShown() throws Exception {
    assertThat(json(get("/api/steps?from=3")).at("/nextFrom").isNull()).isTrue();
  }

  @Test
  void stepsAreEmptyWhenAskedBeyondTheNewest() throws Exception {
    assertThat(json(get("/api/steps?from=99")).at("/steps")).isEmpty();
  }

  @Test
  void stepsEndWhereTheyAreAskedTo() throws Exception {
    JsonNode page = json(get("/api/steps?from=1&to=2"));

    assertThat(page.at("/steps")).hasSize(2);
    assertThat(page.at("/nextFrom").isNull()).isTrue();
  }

  @Test
  void stepsAreColumnsOfOneLengthWhenPointsAreAskedFor() throws Exception {
    JsonNode sampled = json(get("/api/steps?points=20&from=1"));

    assertThat(sampled.at("/count").asInt()).isEqualTo(4);
    assertThat(sampled.at("/columns/step").toString()).isEqualTo("[1,2,3,4]");
    assertThat(sampled.at("/columns")).isNotEmpty().allMatch(column -> column.size() == 4);
    assertThat(sampled.at("/columns/behaviorKlExactMeanNats/0").isNull()).isTrue();
    assertThat(sampled.at("/columns/rewardMeanOfTen/3").asDouble()).isEqualTo(0.5);
  }

  @Test
  void meansAreTakenBeforeStepsAreLeftOut() throws Exception {
    StepLog slow = new StepLog(Records.RUN);
    long at = Records.NOW;
    for (int step = 0; step < 1_000; step++) {
      at += step % 100 == 50 ? 5_000 : 100; // slow ones are always among those that are drawn
      StepLogs.add(
          slow,
          Records.step(step)
              .setWindow(List.of(Records.trained(step, step, 0)))
              .setCommittedAt(at)
              .build());
    }
    Health health = new Health(Map.of(), Map.of());
    try (MetricsServer other =
        new MetricsServer(
            Fixture.OPEN,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            Fixture.of(slow),
            health)) {
      URI uri = URI.create("http://127.0.0.1:" + other.port() + "/api/steps?points=100");
      JsonNode columns =
          json(CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()))
              .at("/columns");
      assertThat(columns.at("/step")).hasSizeBetween(20, 100);
      for (int i = 1; i < columns.at("/step").size(); i++) {
        int step = columns.at("/step").get(i).asInt();
        int slowAmongLastTen = step > 0 && Math.floorMod(step - 50, 100) < 10 ? 1 : 0;
        int taken = Math.min(10, step);
        assertThat(columns.at("/groupsPerSecondOfTen").get(i).asDouble())
            .as("step %d", step)
            .isCloseTo(taken / (0.1 * taken + 4.9 * slowAmongLastTen), within(1e-9));
      }
    }
  }

  @Test
  void stepsAnswer400WithNameValueAndRuleWhenAParameterIsBad() throws Exception {
    HttpResponse<String> answer = get("/api/steps?limit=%3Cb%3E");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).at("/parameter").asText()).isEqualTo("limit");
    assertThat(json(answer).at("/value").asText()).isEqualTo("<b>");
    assertThat(json(answer).at("/rule").asText()).isEqualTo("must be a whole number in [1, 1000]");
  }

  @Test
  void metricsAreInTheTextFormatOfPrometheus() throws Exception {
    REGISTRY.counter("p3o.test").increment();

    HttpResponse<String> answer = get("/metrics");

    assertThat(answer.body()).contains("p3o_test_total 1.0");
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
  }

  @Test
  void readyAnswers503AndSaysWhatIsMissingWhenAConditionDoesNotHold() throws Exception {
    streams = new Condition(false, "REBALANCING");
    try {
      HttpResponse<String> answer = get("/health/ready");

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("\"streams\"").contains("REBALANCING");
      assertThat(get("/health/live").statusCode()).isEqualTo(200);
    } finally {
      streams = new Condition(true, "RUNNING");
    }
  }

  @Test
  void readyAnswers200WhenAllConditionsHold() throws Exception {
    assertThat(get("/health/ready").statusCode()).isEqualTo(200);
  }

  @Test
  void noAnswerOpensItselfToOtherOrigins() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri("/api/steps")).header("Origin", "http://evil.example").build();

    HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());

    assertThat(answer.headers().map().keySet())
        .noneMatch(name -> name.toLowerCase(java.util.Locale.ROOT).startsWith("access-control"));
  }

  @Test
  void writesAreRefused() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri("/api/steps")).POST(BodyPublishers.noBody()).build();

    assertThat(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api/runs", "/api/steps", "/metrics", "/health/ready"})
  void headHasTheHeadersOfTheAnswerAndNoBody(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri(path)).method("HEAD", BodyPublishers.noBody()).build();

    HttpClient fresh = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

    HttpResponse<String> answer = fresh.send(request, BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.version())
        .as("HTTP/2 is offered and not taken: there Vert.x answers HEAD with a body")
        .isEqualTo(HttpClient.Version.HTTP_1_1);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.headers().firstValue("Content-Type"))
        .isEqualTo(get(path).headers().firstValue("Content-Type"));
  }

  @Test
  void headOfTheStreamIsRefusedBecauseItNeverEnds() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri("/api/stream")).method("HEAD", BodyPublishers.noBody()).build();

    assertThat(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(405);
  }

  @ParameterizedTest
  @EnumSource
  void everyFileOfTheLivePageIsServedAndMayLoadNothingFromElsewhere(WebAsset asset)
      throws Exception {
    HttpResponse<String> answer = get(asset.path());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(asset.text()).isNotBlank();
    assertThat(answer.headers().firstValue("Content-Type")).contains(asset.contentType());
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "http");
  }

  @Test
  void constructorThrowsNamingTheAddressWhenThePortIsTaken() {
    Health health = new Health(Map.of(), Map.of());

    assertThatThrownBy(
            () ->
                new MetricsServer(
                    new StreamsConfig("127.0.0.1", server.port(), "state", null, 1, 1),
                    new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                    Fixture.of(StepLogs.ofSteps(0)),
                    health))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("streams.port")
        .hasMessageContaining("127.0.0.1:" + server.port());
  }

  @ParameterizedTest
  @CsvSource({"/api/%zz, localhost", "/api/runs?from=%zz, localhost", "/api/runs, [::1"})
  void whatCannotBeReadIsNoErrorOfTheServer(String path, String host) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(path, host)
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"reason\":");
    }
  }

  @Test
  void whatIsNotThereIsAnsweredAsEverythingElse() throws Exception {
    HttpResponse<String> answer = get("/api/nothing");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(json(answer).at("/reason").asText()).isEqualTo("nothing is here");
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private static JsonNode json(HttpResponse<String> answer) throws Exception {
    return new ObjectMapper().readTree(answer.body());
  }
}
