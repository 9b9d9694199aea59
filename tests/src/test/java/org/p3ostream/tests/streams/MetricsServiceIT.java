package org.p3ostream.tests.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.streams.runtime.ServiceFailedException;
import org.p3ostream.streams.runtime.StreamsClients;

class MetricsServiceIT {
  private static final Duration PATIENCE = Duration.ofSeconds(180);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir static Path directory;
  private static LocalStack stack;

  @BeforeAll
  static void start() {
    stack = LocalStack.start(directory.resolve("stack"));
  }

  @AfterAll
  static void stop() {
    stack.close();
  }

  @Test
  void serviceSaysWhichTopicsItWaitsForAndGoesOnWhenTheyAppear() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("waiting.");
    try (MetricsService service = service(topics, stack.registryUrl())) {
      service.start();
      awaitContains(
          service,
          "/health/ready",
          "waiting for waiting.dead-letters, waiting.metrics, waiting.rollouts, waiting.steps");
      assertThat(get(service, "/health/ready").statusCode()).isEqualTo(503);

      create(topics);

      awaitReady(service);
    }
  }

  @Test
  void metricsAreWrittenOncePerStepWhenTheServiceRestartsAmongAbortsAndNoise() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("once.");
    create(topics);
    try (RecordCodec codec = codec(stack.registryUrl());
        LedgerScript script = new LedgerScript(stack.bootstrapServers(), topics, codec)) {
      runSteps(script, 0, 20);
      try (MetricsService first = service(topics, stack.registryUrl())) {
        first.start();
        awaitContains(first, "/metrics", "p3o_ledger_step 19.0");
        runSteps(script, 20, 40);
        awaitContains(first, "/metrics", "p3o_ledger_step 39.0");
      }
      runSteps(script, 40, 60);
      try (MetricsService second = service(topics, stack.registryUrl())) {
        second.start();
        awaitContains(second, "/api/steps?from=59", "\"step\":59");
        await().atMost(PATIENCE).until(() -> points(topics, "rollout/lag_records").size() >= 60);
        awaitContains(second, "/metrics", "p3o_rollout_reward_mean 0.5");
        awaitReady(second);
      }
      assertThat(points(topics, "rollout/reward_mean"))
          .extracting(MetricPoint::getStep)
          .containsExactlyElementsOf(steps(60));
      assertThat(points(topics, "rollout/reward_mean"))
          .extracting(MetricPoint::getValue)
          .containsOnly(0.5);
      assertThat(points(topics, "train/staleness_max"))
          .extracting(MetricPoint::getStep)
          .containsExactlyElementsOf(steps(60));
      assertThat(points(topics, "rollout/lag_records"))
          .extracting(MetricPoint::getStep)
          .containsExactlyElementsOf(steps(60));
    }
  }

  @Test
  void streamGivesEveryStepOnceAcrossARestartAmongAbortsAndNoise() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("stream.");
    create(topics);
    try (RecordCodec codec = codec(stack.registryUrl());
        LedgerScript script = new LedgerScript(stack.bootstrapServers(), topics, codec)) {
      script.commitGenesis();
      runSteps(script, 0, 15);
      List<Long> seen;
      try (MetricsService first = service(topics, stack.registryUrl())) {
        first.start();
        seen = new ArrayList<>(streamedSteps(first, "", 10));
      }
      runSteps(script, 15, 25);
      try (MetricsService second = service(topics, stack.registryUrl())) {
        second.start();
        seen.addAll(streamedSteps(second, "9", 15));
      }
      assertThat(seen).isEqualTo(steps(25));
    }
  }

  @Test
  void serviceFailsAndSaysSoWhenTheRegistryStaysAway() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("away.");
    create(topics);
    try (RecordCodec codec = codec(stack.registryUrl());
        LedgerScript script = new LedgerScript(stack.bootstrapServers(), topics, codec)) {
      runSteps(script, 0, 1);
    }
    try (MetricsService service = service(topics, "", "http://127.0.0.1:1", 1)) {
      service.start();

      assertThatThrownBy(service::awaitTermination)
          .isInstanceOf(ServiceFailedException.class)
          .hasStackTraceContaining(RegistryUnavailableException.class.getName());
      assertThat(get(service, "/health/live").statusCode()).isEqualTo(503);
    }
  }

  /** Both have work to do: there are more partitions to read than stores. */
  @Test
  void serviceIsNotReadyWhileAnotherWithItsApplicationIdHoldsStores() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("shared.");
    create(topics);
    try (RecordCodec codec = codec(stack.registryUrl());
        LedgerScript script = new LedgerScript(stack.bootstrapServers(), topics, codec)) {
      runSteps(script, 0, 5);
    }
    try (MetricsService second = service(topics, "second-", stack.registryUrl(), 30)) {
      try (MetricsService first = service(topics, stack.registryUrl())) {
        first.start();
        awaitReady(first);
        second.start();
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(
                            get(first, "/health/ready").body()
                                + get(second, "/health/ready").body())
                        .contains("another service with this application id holds"));
        for (MetricsService service : List.of(first, second)) {
          await() // stores may still move from one to the other
              .atMost(PATIENCE)
              .untilAsserted(
                  () -> {
                    boolean hasAll =
                        Stream.of("/api/producers", "/api/tasks", "/api/dead-letters")
                            .allMatch(path -> status(service, path) == 200);
                    assertThat(status(service, "/health/ready")).isEqualTo(hasAll ? 200 : 503);
                  });
        }
      }
      awaitReady(second);
      assertThat(get(second, "/api/producers").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void serviceFailsWhenAClassItNeedsIsMissing() throws Exception {
    TopicCatalogue topics = new TopicCatalogue("classless.");
    create(topics);
    StreamsConfig config =
        new StreamsConfig("127.0.0.1", 0, directory.resolve("classless").toString(), null, 1, 30);
    try (MetricsService service =
        new MetricsService(
            new StreamsSettings(LedgerScript.RUN, topics.prefix(), config),
            new StreamsClients(
                Map.of("bootstrap.servers", stack.bootstrapServers()),
                () -> {
                  throw new NoClassDefFoundError("com/example/Serializer");
                }),
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))) {
      service.start();

      assertThatThrownBy(service::awaitTermination)
          .isInstanceOf(ServiceFailedException.class)
          .hasMessageContaining("com/example/Serializer");
    }
  }

  /** Ids of the first {@code count} steps of the stream after {@code lastEventId}. */
  private static List<Long> streamedSteps(MetricsService service, String lastEventId, int count)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + service.port() + "/api/stream?from=0"))
            .header("Last-Event-ID", lastEventId)
            .build();
    try (Stream<String> lines = HTTP.send(request, HttpResponse.BodyHandlers.ofLines()).body()) {
      return lines
          .filter(line -> line.startsWith("id: "))
          .map(line -> Long.valueOf(line.substring("id: ".length())))
          .limit(count)
          .toList();
    }
  }

  /** Four groups a step, a transaction aborted before each, noise before every tenth. */
  private static void runSteps(LedgerScript script, long from, long to) {
    for (long step = from; step < to; step++) {
      if (step % 10 == 0) {
        script.publishNoise();
      }
      script.publishAborted();
      List<WindowEntry> window = new ArrayList<>();
      for (int group = 0; group < 4; group++) {
        window.add(script.publish(1, 0));
      }
      script.commitStep(step, window);
    }
  }

  private static MetricsService service(TopicCatalogue topics, String registryUrl) {
    return service(topics, "", registryUrl, 30);
  }

  private static MetricsService service(
      TopicCatalogue topics, String name, String registryUrl, int clientTimeoutSeconds) {
    StreamsConfig config =
        new StreamsConfig(
            "127.0.0.1",
            0,
            directory.resolve(name + topics.prefix() + "state").toString(),
            null,
            1,
            clientTimeoutSeconds);
    return new MetricsService(
        new StreamsSettings(LedgerScript.RUN, topics.prefix(), config),
        new StreamsClients(
            Map.of("bootstrap.servers", stack.bootstrapServers()), () -> codec(registryUrl)),
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  private static RecordCodec codec(String registryUrl) {
    return RecordCodec.create(
        RegistryAvroSerializer.class.getName(),
        RegistryAvroDeserializer.class.getName(),
        Map.of("schema.registry.url", registryUrl));
  }

  private static void create(TopicCatalogue topics) throws Exception {
    new MetricsRun(stack, topics).createTopics();
  }

  /** Committed points of one metric, in the order of their partition. */
  private static List<MetricPoint> points(TopicCatalogue topics, String name) {
    MetricsRun run = new MetricsRun(stack, topics);
    return run.points(run.beginning()).stream()
        .filter(point -> point.getName().equals(name))
        .toList();
  }

  private static List<Long> steps(long count) {
    return java.util.stream.LongStream.range(0, count).boxed().toList();
  }

  private static void awaitReady(MetricsService service) {
    await()
        .atMost(PATIENCE)
        .until(() -> get(service, "/health/ready"), answer -> answer.statusCode() == 200);
  }

  private static void awaitContains(MetricsService service, String path, String expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(get(service, path).body()).contains(expected));
  }

  private static int status(MetricsService service, String path) {
    try {
      return get(service, path).statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static HttpResponse<String> get(MetricsService service, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + service.port() + path);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }
}
