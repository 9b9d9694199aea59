package org.p3ostream.tests.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.lookup.TokenDecoder;
import org.p3ostream.streams.lookup.TokenRatios;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.tests.support.LocalStackExtension;

/** {@code p3o metrics} on a real log that a real topology writes. */
@ExtendWith(LocalStackExtension.class)
class MetricsCommandIT {

  private static final Duration PATIENCE = Duration.ofSeconds(180);

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void followWaitsForTheRunEndsWithItAndLeavesOutNoPoint(LocalStack stack) throws Exception {
    List<String> settings = settings(stack, "follow.", 30);
    P3oConfig config = config(settings);
    CompletableFuture<Integer> following =
        start(new PrintWriter(out, true), settings, "--follow", "--json");
    await().atMost(PATIENCE).until(() -> err.toString().contains("has begun there; waiting"));
    create(stack, config);
    try (RoleClients clients = new RoleClients(config);
        LedgerScript script = script(stack, config, clients)) {
      script.commitGenesis();
      commitSteps(script, 0, 30); // the run has ended, and nobody has made a metric of it
      await().atMost(PATIENCE).until(() -> err.toString().contains("waiting for the metrics"));
      try (MetricsService service = service(config, clients)) {
        service.start();
        assertThat(following.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isZero();
      }
    }
    assertThat(steps("rollout/reward_mean")).isEqualTo(range(0, 30));
    assertThat(steps("train/staleness_max")).isEqualTo(range(0, 30));
    assertThat(steps("rollout/lag_records")).isEqualTo(range(0, 30));
  }

  @Test
  void followGoesOnWithTheRunAndEndsWhenNobodyReadsItAnyMore(LocalStack stack) throws Exception {
    List<String> settings = settings(stack, "pipe.", 1_000);
    P3oConfig config = config(settings);
    create(stack, config);
    ClosingPipe pipe = new ClosingPipe();
    try (RoleClients clients = new RoleClients(config);
        LedgerScript script = script(stack, config, clients);
        MetricsService service = service(config, clients)) {
      service.start();
      script.commitGenesis();
      commitSteps(script, 0, 5);
      CompletableFuture<Integer> following =
          start(new PrintWriter(pipe, true), settings, "--follow", "--name", "rollout/reward_mean");
      await().atMost(PATIENCE).until(() -> pipe.lines() == 5);
      commitSteps(script, 5, 10);
      await().atMost(PATIENCE).until(() -> pipe.lines() == 10);
      assertThat(following).isNotDone();
      pipe.closed = true;
      commitSteps(script, 10, 11);
      assertThat(following.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isZero();
    }
    assertThat(err.toString().lines())
        .as("nothing but that a busy broker is waited for")
        .allMatch(line -> line.matches("p3o: (waiting for Kafka at|the broker) .*"));
    assertThat(pipe.text()).endsWith(System.lineSeparator());
  }

  /** As {@code ./p3o metrics --follow | head -3}: a pipe in a process of its own. */
  @Test
  void followEndsWhenTheReaderOfItsPipeHasGone(LocalStack stack) throws Exception {
    List<String> settings = settings(stack, "closed.", 1_000);
    P3oConfig config = config(settings);
    create(stack, config);
    try (RoleClients clients = new RoleClients(config);
        LedgerScript script = script(stack, config, clients);
        MetricsService service = service(config, clients)) {
      service.start();
      script.commitGenesis();
      commitSteps(script, 0, 5);
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  P3o.class.getName(),
                  "metrics",
                  "--follow",
                  "--json"));
      settings.forEach(setting -> command.addAll(List.of("--set", setting)));
      Process following =
          new ProcessBuilder(command)
              .redirectError(directory.resolve("closed.err").toFile())
              .start();
      try (BufferedReader reader = following.inputReader()) {
        for (int i = 0; i < 3; i++) {
          assertThat(json(reader.readLine()).has("name")).isTrue();
        }
      }
      long step = 5;
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (following.isAlive()) { // points go on, the run does not end
        assertThat(System.nanoTime())
            .as(Files.readString(directory.resolve("closed.err")))
            .isLessThan(deadline);
        commitSteps(script, step, step + 1);
        step++;
      }
      assertThat(following.exitValue()).isZero();
    }
  }

  @Test
  void pointsAreChosenByStepAndName(LocalStack stack) throws Exception {
    List<String> settings = settings(stack, "choice.", 8);
    P3oConfig config = config(settings);
    create(stack, config);
    try (RoleClients clients = new RoleClients(config);
        LedgerScript script = script(stack, config, clients);
        MetricsService service = service(config, clients)) {
      service.start();
      script.commitGenesis();
      commitSteps(script, 0, 8);
      assertThat(
              start(new PrintWriter(out, true), settings, "--follow")
                  .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isZero();
      out.getBuffer().setLength(0);
      assertThat(
              start(
                      new PrintWriter(out, true),
                      settings,
                      "--from=6",
                      "--name=*/reward_mean",
                      "--name=train/staleness_m?n")
                  .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isZero();
    }
    assertThat(
            out.toString()
                .lines()
                .map(line -> line.strip().split(" +")[0] + " " + line.strip().split(" +")[1]))
        .containsExactlyInAnyOrder(
            "6 rollout/reward_mean",
            "6 train/staleness_min",
            "7 rollout/reward_mean",
            "7 train/staleness_min");
  }

  @Test
  void topShowsWhatTheLogSaysOfTheNewestStep(LocalStack stack) throws Exception {
    List<String> settings = settings(stack, "top.", 40);
    P3oConfig config = config(settings);
    create(stack, config);
    StringWriter view = new StringWriter();
    StepMetrics figures;
    try (RoleClients clients = new RoleClients(config);
        LedgerScript script = script(stack, config, clients);
        MetricsService service = service(config, clients)) {
      service.start();
      script.commitGenesis();
      commitSteps(script, 0, 40);
      assertThat(
              start(new PrintWriter(out, true), settings, "--follow")
                  .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isZero();
      assertThat(
              P3o.commandLine()
                  .setOut(new PrintWriter(view, true))
                  .execute("top", "--once", "--url", "http://127.0.0.1:" + service.port() + "/"))
          .isZero();
      figures = newestStep(clients, config).getMetrics();
    }
    assertThat(view.toString())
        .contains("step 39  version 40  p3o/step/proxy")
        .containsPattern("reward +" + number("%.3f", figures.getRewardMean()))
        .containsPattern("ESS +" + number("%.3f", figures.getNormalizedEss()))
        .containsPattern("cap +" + number("%.3f", figures.getAdaptiveCap()))
        .containsPattern("KL +" + number("%.2e", figures.getBehaviorKlProxyMean()))
        .containsPattern("grad norm +" + number("%.3g", figures.getGradNorm()))
        .containsPattern(
            "staleness +mean %s, p95 1, max %d versions"
                .formatted(number("%.2f", figures.getStalenessMean()), figures.getStalenessMax()))
        .containsPattern("lag +0 records, %d windows".formatted(figures.getLagWindows()))
        .containsPattern("dead letters +0")
        .containsPattern("it +40 ");
  }

  private static String number(String format, double value) {
    return Pattern.quote(String.format(Locale.ROOT, format, value));
  }

  private static StepEvent newestStep(RoleClients clients, P3oConfig config) {
    LogFollower ledger =
        new LogFollower(
            clients.reader(),
            clients.codec(),
            new TopicCatalogue(config.run().topicPrefix()).steps());
    StepEvent newest = null;
    while (newest == null || !ledger.isAtEnd()) {
      for (SpecificRecord record : ledger.poll(Duration.ofMillis(100))) {
        newest = (StepEvent) record;
      }
    }
    return newest;
  }

  /** A reader that goes away: from then on whoever writes gets an error. */
  private static final class ClosingPipe extends Writer {
    private final StringBuffer written = new StringBuffer();
    private volatile boolean closed;

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("Broken pipe");
      }
      written.append(characters, offset, length);
    }

    long lines() {
      return text().lines().count();
    }

    String text() {
      return written.toString();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private CompletableFuture<Integer> start(
      PrintWriter output, List<String> settings, String... options) {
    List<String> arguments = new ArrayList<>(List.of("metrics"));
    settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    arguments.addAll(List.of(options));
    return CompletableFuture.supplyAsync(
        () ->
            P3o.commandLine()
                .setOut(output)
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new)),
        MetricsCommandIT::onItsOwnThread);
  }

  /** Not of the common pool, whose only thread on two cores an HTTP client may need. */
  private static void onItsOwnThread(Runnable task) {
    Thread thread = new Thread(task, "metrics-command");
    thread.setDaemon(true);
    thread.start();
  }

  private List<Long> steps(String metric) {
    return out.toString()
        .lines()
        .map(MetricsCommandIT::json)
        .filter(point -> point.get("name").asText().equals(metric))
        .map(point -> point.get("step").asLong())
        .sorted()
        .toList();
  }

  private static JsonNode json(String line) {
    try {
      return new ObjectMapper().readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }

  private static List<Long> range(long from, long end) {
    return LongStream.range(from, end).boxed().toList();
  }

  private static void commitSteps(LedgerScript script, long from, long end) {
    for (long step = from; step < end; step++) {
      script.commitStep(step, List.of(script.publish(1, 0)));
    }
  }

  private List<String> settings(LocalStack stack, String prefix, long steps) {
    return List.of(
        "kafka.bootstrap.servers=" + stack.bootstrapServers(),
        "registry.url=" + stack.registryUrl(),
        "run.id=" + LedgerScript.RUN,
        "run.topicPrefix=metrics-command-" + prefix,
        "streams.port=0",
        "streams.stateDirectory=" + directory.resolve(prefix + "state"),
        "learner.steps=" + steps);
  }

  private static P3oConfig config(List<String> settings) {
    return ConfigLoader.load(null, settings);
  }

  private static MetricsService service(P3oConfig config, RoleClients clients) {
    return new MetricsService(
        config.streamsSettings(),
        clients.streams(TokenDecoder.NONE, TokenRatios.NONE),
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  private static LedgerScript script(LocalStack stack, P3oConfig config, RoleClients clients) {
    return new LedgerScript(
        stack.bootstrapServers(), new TopicCatalogue(config.run().topicPrefix()), clients.codec());
  }

  private static void create(LocalStack stack, P3oConfig config) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
      admin
          .createTopics(
              new TopicCatalogue(config.run().topicPrefix())
                  .all().stream()
                      .map(
                          topic ->
                              new NewTopic(topic.name(), topic.partitions(), (short) 1)
                                  .configs(topic.settings()))
                      .toList())
          .all()
          .get();
    }
  }
}
