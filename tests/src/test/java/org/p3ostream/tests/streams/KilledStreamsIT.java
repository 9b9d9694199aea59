package org.p3ostream.tests.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.tests.support.ChildRole;
import org.p3ostream.tests.support.LocalStackExtension;

/**
 * Streams are killed, and stopped beyond their time-outs, under load; what is left is what one
 * undisturbed pass over the log gives.
 */
@Tag("endurance")
@ExtendWith(LocalStackExtension.class)
class KilledStreamsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final int ROUNDS = 2;

  /** Of the producer of the topology; then what it was sending is given up. */
  private static final int DELIVERY_TIMEOUT_MS = 2_000;

  private static final List<String> PATHS =
      List.of(
          "/api/producers",
          "/api/staleness?windows=256",
          "/api/versions?limit=1000",
          "/api/latencies?windows=256",
          "/api/dead-letters",
          "/api/tasks?windows=256");

  @TempDir Path directory;

  @Test
  void pointsAndStateAreThoseOfOneUndisturbedPassWhenStreamsAreKilledOrStoppedUnderLoad(
      LocalStack stack) throws Exception {
    MetricsRun run = new MetricsRun(stack, new TopicCatalogue("killed."));
    run.createTopics();
    Map<String, JsonNode> live;
    long windows;
    try (RecordCodec codec = run.codec();
        SyntheticRun script =
            new SyntheticRun(run.bootstrapServers(), run.topics(), codec, 20, 8, 3)) {
      int port = FreePorts.onLoopback(1).get(0);
      AtomicBoolean enough = new AtomicBoolean();
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> {
                while (!enough.get()) {
                  script.writeWindow();
                }
                script.finish();
              },
              task -> new Thread(task, "writer").start()); // the common pool is for HTTP clients
      Kept streams = new Kept(run, stack, port);
      try {
        for (int round = 1; round <= ROUNDS; round++) {
          streams.work();
          streams.process.kill();
          assertThat(streams.process.isAlive()).isFalse();
          streams.work();
          stop(streams.process, Duration.ofMillis(2 * DELIVERY_TIMEOUT_MS));
        }
        streams.work();
        enough.set(true);
        writing.join();
        windows = script.windows();
        awaitLagOf(windows, run, run.beginning(), streams::supervise);
        live = answers(port);
      } finally {
        enough.set(true);
        streams.close();
      }
    }
    Map<TopicPartition, Long> end = run.end();
    List<MetricPoint> livePoints = run.points(run.beginning());

    try (MetricsService rebuilt =
        run.service(
            directory.resolve("rebuilt"),
            "killed.rebuilt",
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))) {
      rebuilt.start();
      awaitLagOf(windows, run, end, () -> {});
      Map<String, JsonNode> again = answers(rebuilt.port());
      for (String path : PATHS) {
        assertThat(again.get(path)).as(path).isEqualTo(live.get(path));
      }
    }

    Map<String, List<String>> rebuiltPoints = ofTheLog(run.points(end));
    Map<String, List<String>> liveOnes = ofTheLog(livePoints);
    assertThat(liveOnes.keySet()).isEqualTo(rebuiltPoints.keySet());
    liveOnes.forEach(
        (name, values) -> assertThat(values).as(name).isEqualTo(rebuiltPoints.get(name)));
    for (String name : List.of("rollout/reward_mean", "rollout/lag_records", "train/loss")) {
      assertThat(livePoints.stream().filter(point -> point.getName().equals(name)))
          .as(name)
          .extracting(MetricPoint::getStep)
          .containsExactlyElementsOf(LongStream.range(0, windows).boxed().toList());
    }
  }

  /** The streams, started again whenever they have ended. */
  private final class Kept implements AutoCloseable {
    private final MetricsRun run;
    private final LocalStack stack;
    private final int port;
    private ChildProcess process;

    Kept(MetricsRun run, LocalStack stack, int port) {
      this.run = run;
      this.stack = stack;
      this.port = port;
      this.process = streams(run, stack, port);
    }

    void supervise() {
      if (!process.isAlive()) {
        process = streams(run, stack, port);
      }
    }

    /** Lets them write some more. */
    void work() {
      long before = written(run);
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                supervise();
                return written(run) > before + 500;
              });
    }

    @Override
    public void close() {
      process.close();
    }
  }

  /** The standstill is the fault itself; nothing is waited for. */
  private static void stop(ChildProcess streams, Duration standstill) throws InterruptedException {
    streams.pause();
    Thread.sleep(standstill.toMillis());
    streams.resume();
  }

  /** Every point in its order, by name and labels; those of producers are of the moment. */
  private static Map<String, List<String>> ofTheLog(List<MetricPoint> points) {
    Map<String, List<String>> byName = new TreeMap<>();
    for (MetricPoint point : points) {
      if (!point.getLabels().containsKey("producer")
          && !point.getName().equals("rollout/dead_letters")) {
        byName
            .computeIfAbsent(
                point.getName() + new TreeMap<>(point.getLabels()), name -> new ArrayList<>())
            .add(point.getStep() + ": " + point.getValue() + " at " + point.getEventTime());
      }
    }
    return byName;
  }

  private static void awaitLagOf(
      long windows, MetricsRun run, Map<TopicPartition, Long> from, Runnable meanwhile) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              meanwhile.run();
              return run.points(from).stream()
                  .anyMatch(
                      point ->
                          point.getName().equals("rollout/lag_records")
                              && point.getStep() == windows - 1);
            });
  }

  /** Offsets used up in {@code metrics}. */
  private static long written(MetricsRun run) {
    return run.end().values().stream().mapToLong(offset -> offset).sum();
  }

  /** What the state says, without what depends on when it is asked. */
  private static Map<String, JsonNode> answers(int port) throws Exception {
    Map<String, JsonNode> answers = new TreeMap<>();
    for (String path : PATHS) {
      HttpResponse<String> answer = MetricsRun.get(port, path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      JsonNode node = new ObjectMapper().readTree(answer.body());
      ((ObjectNode) node).remove("lagSeconds");
      node.path("producers").forEach(producer -> ((ObjectNode) producer).remove("silentSeconds"));
      answers.put(path, node);
    }
    return answers;
  }

  private ChildProcess streams(MetricsRun run, LocalStack stack, int port) {
    Path configuration = directory.resolve("streams.yaml");
    try {
      Files.writeString(
          configuration,
          """
        run: {id: %s, topicPrefix: %s}
        kafka:
          bootstrap.servers: "%s"
          consumer.session.timeout.ms: "6000"
          producer.request.timeout.ms: "1000"
          producer.delivery.timeout.ms: "%d"
        registry: {url: "%s"}
        streams: {port: %d, stateDirectory: "%s"}
        """
              .formatted(
                  LedgerEvents.RUN,
                  run.topics().prefix(),
                  run.bootstrapServers(),
                  DELIVERY_TIMEOUT_MS,
                  stack.registryUrl(),
                  port,
                  directory.resolve("state")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ChildRole.start(directory, configuration, "streams", List.of("streams"));
  }
}
