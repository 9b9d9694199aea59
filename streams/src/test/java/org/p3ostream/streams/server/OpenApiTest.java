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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepLogs;
import org.p3ostream.streams.lookup.GroupRatios;
import org.p3ostream.streams.lookup.GroupView;
import org.p3ostream.streams.lookup.GroupViews;
import org.p3ostream.streams.lookup.NoRatiosException;
import org.p3ostream.streams.lookup.SnapshotView;

/** The description of the API is in step with what is answered. */
class OpenApiTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static MetricsServer server;
  private static JsonNode document;

  /** One group and one snapshot, as a log has them. */
  private static final RecordSource RECORDS =
      new RecordSource() {
        @Override
        public Optional<GroupView> group(String rolloutsPrefix, TrainedGroup at) {
          RolloutGroup group = Records.rollout(at.groupId(), 0, 1, 0);
          return at.groupId() == 3 ? Optional.empty() : Optional.of(GroupViews.of(group, at));
        }

        @Override
        public GroupRatios ratios(TrainedGroup at) {
          if (at.groupId() == 3) {
            throw new NoRatiosException("version 2 is gone");
          }
          return new GroupRatios(at.groupId(), 2, 2, List.of(Arrays.asList(1.5, null)));
        }

        @Override
        public List<SnapshotView> snapshots(int limit) {
          return List.of(new SnapshotView(2, 1, "FULL", null, 4000, 1, "ab", 7));
        }
      };

  @BeforeAll
  static void bind() throws Exception {
    StepLog steps = new StepLog(Records.RUN);
    StepLogs.addGenesis(steps, Records.NOW);
    StepLogs.addSteps(steps, 0, 2);
    StepLogs.add(steps, Records.step(2).setWindow(Records.window(1, 2, 2, 2)).build());
    server =
        new MetricsServer(
            Fixture.OPEN,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            Fixture.of(steps, RECORDS),
            new Health(Map.of(), Map.of()));
    document = JSON.readTree(get("/api/openapi.json").body());
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @Test
  void everyRouteIsDescribedAndNothingElse() {
    Set<String> described = new TreeSet<>();
    document.get("paths").fieldNames().forEachRemaining(described::add);

    assertThat(described)
        .isEqualTo(
            server.apiPaths().stream()
                .map(path -> path.replaceAll(":(\\w+)", "{$1}"))
                .collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @CsvSource({
    "/api/runs, /api/runs, 200",
    "/api/runs, /api/runs?x=1, 400",
    "/api/alerts, /api/alerts?x=1, 400",
    "/api/groups/{id}, /api/groups/1?x=1, 400",
    "/api/steps, /api/steps, 200",
    "/api/steps, /api/steps?points=20, 200",
    "/api/steps, /api/steps?points=1, 400",
    "/api/alerts, /api/alerts, 200",
    "/api/groups, /api/groups, 200",
    "/api/groups, /api/groups?step=2, 200",
    "/api/groups, /api/groups?step=99, 404",
    "/api/groups, /api/groups?steps=2, 400",
    "/api/groups/{id}, /api/groups/1, 200",
    "/api/groups/{id}, /api/groups/3, 404",
    "/api/groups/{id}, /api/groups/99, 404",
    "/api/groups/{id}, /api/groups/x, 400",
    "/api/groups/{id}/ratios, /api/groups/1/ratios, 200",
    "/api/groups/{id}/ratios, /api/groups/3/ratios, 404",
    "/api/groups/{id}/ratios, /api/groups/99/ratios, 404",
    "/api/groups/{id}/ratios, /api/groups/x/ratios, 400",
    "/api/snapshots, /api/snapshots, 200",
    "/api/snapshots, /api/snapshots?limit=101, 400",
    "/api/stream, /api/stream?from=x, 400",
    "/api/openapi.json, /api/openapi.json, 200"
  })
  void answersAreWhatIsDescribed(String path, String asked, int status) throws Exception {
    HttpResponse<String> answer = get(asked);
    JsonNode described =
        document.at(
            "/paths/%s/get/responses/%d/content/application~1json/schema"
                .formatted(path.replace("/", "~1"), status));

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(described.isMissingNode()).isFalse();
    assertThat(SchemaCheck.breaches(document, described, JSON.readTree(answer.body()))).isEmpty();
  }

  @Test
  void groupsOfTheNewestStepAreListedWhenNoStepIsNamed() throws Exception {
    JsonNode listed = JSON.readTree(get("/api/groups").body());

    assertThat(listed.get("step").asInt()).isEqualTo(2);
    assertThat(listed.get("groups")).hasSize(4);
  }

  @Test
  void theCheckFindsWhatIsNotDescribed() throws Exception {
    JsonNode schema = document.at("/components/schemas/Reason");

    assertThat(SchemaCheck.breaches(document, schema, JSON.readTree("{\"reason\":1,\"more\":2}")))
        .containsExactly("$.reason [string]: 1", "$.more is not described");
    assertThat(SchemaCheck.breaches(document, schema, JSON.readTree("{}"))).hasSize(1);
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
