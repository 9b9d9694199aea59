package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.StepLogs;
import org.p3ostream.streams.query.NoState;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.topology.TopologyUnderTest;

class RunQueriesHandlerTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TopologyUnderTest TOPOLOGY = new TopologyUnderTest();
  private static MetricsServer server;
  private static MetricsServer notReady;

  @BeforeAll
  static void bind() {
    TOPOLOGY.rollout(Records.rollout(0, 0, 1, 0));
    TOPOLOGY.step(
        Records.step(0)
            .setWindow(Records.window(0))
            .setProgress(Records.progress(1))
            .setRatioStatistics(Records.sampled(0, 2))
            .build());
    TOPOLOGY.passTime(java.time.Duration.ofSeconds(5));
    server = server(TOPOLOGY.queries(Clock.systemUTC()));
    notReady = server(NoState.queries());
  }

  private static MetricsServer server(RunQueries queries) {
    return new MetricsServer(
        Fixture.OPEN,
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
        Fixture.of(StepLogs.ofSteps(0), Fixture.NO_RECORDS, queries),
        new Health(Map.of(), Map.of()));
  }

  @AfterAll
  static void close() {
    server.close();
    notReady.close();
    TOPOLOGY.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/api/producers, /producers/0, 'producerId,groups,responses,tokens,failures,groupsPerSecond,"
        + "tokensPerSecond,lastAt,silentSeconds,stalenessMean,stalenessMax,rewardMean'",
    "/api/staleness?windows=5, '', 'windows,tokens,histogram,lagRecords,lagWindows,lagSeconds'",
    "/api/staleness, /histogram/0, 'staleness,tokens'",
    "/api/versions?limit=5, /versions/0, "
        + "'policyVersion,tokens,normalizedEss,ratioMean,fromStep,toStep'",
    "/api/latencies, /stages/0, 'stage,count,meanSeconds,p50Seconds,p95Seconds,maxSeconds'",
    "/api/dead-letters, '', 'total,reasons'",
    "/api/tasks, /tasks/0, "
        + "'task,groups,responses,rewardMean,lengthMean,truncatedFraction,finishReasons'",
  })
  void answersHaveTheFieldsOfTheContract(String path, String at, String fields) throws Exception {
    HttpResponse<String> answer = get(server, path);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    JsonNode body = JSON.readTree(answer.body());
    JsonNode document = JSON.readTree(get(server, "/api/openapi.json").body());
    String described =
        "/paths/%s/get/responses/200/content/application~1json/schema"
            .formatted(path.replaceAll("[?].*", "").replace("/", "~1"));
    assertThat(SchemaCheck.breaches(document, document.at(described), body)).isEmpty();
    JsonNode node = body.at(at);
    assertThat(node.fieldNames()).toIterable().containsExactly(fields.split(","));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/producers",
        "/api/staleness",
        "/api/versions",
        "/api/latencies",
        "/api/dead-letters",
        "/api/tasks"
      })
  void answerIs503WithTheReasonWhileTheStateCannotBeRead(String path) throws Exception {
    HttpResponse<String> answer = get(notReady, path);

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    assertThat(answer.body()).contains("not started");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/staleness?windows=0", "/api/latencies?windows=257", "/api/versions?limit=1001",
        "/api/tasks?window=5", "/api/producers?windows=5", "/api/tasks?windows=1&windows=2"
      })
  void answerIs400NamingTheParameterThatBreaksItsRule(String path) throws Exception {
    HttpResponse<String> answer = get(server, path);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"parameter\":\"" + path.split("[?=]")[1] + "\"");
  }

  @Test
  void figuresThatAreNotKnownAreNull() throws Exception {
    JsonNode stage = JSON.readTree(get(server, "/api/latencies").body()).at("/stages/0");

    assertThat(stage.get("count").asLong()).isZero();
    assertThat(List.of(stage.get("meanSeconds"), stage.get("p95Seconds")))
        .allMatch(JsonNode::isNull);
  }

  private static HttpResponse<String> get(MetricsServer asked, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + asked.port() + path);
    return CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }
}
