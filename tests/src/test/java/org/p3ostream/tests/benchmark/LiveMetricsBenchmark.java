package org.p3ostream.tests.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.tests.streams.MetricsRun;
import org.p3ostream.tests.streams.SyntheticRun;

/**
 * What the metrics service takes: it follows a run of many producers that a process beside it
 * writes as fast as the broker takes it, ledger and dead letters included. Broker, registry and
 * writer are processes of their own; this process is the service.
 *
 * <p>Arguments: rollouts (default 1,000,000), producers (1,000), groups per window (100), directory
 * of the results ({@code target/live-metrics}), {@code backlog} for a service that is started only
 * once everything was written.
 */
public final class LiveMetricsBenchmark {
  private static final String WRITE = "write";
  private static final int TENTHS = 10;
  private static final long PAUSE_MS = 200;

  private final MetricsRun run;
  private final long rollouts;
  private final List<String> rows = new ArrayList<>();

  private LiveMetricsBenchmark(MetricsRun run, long rollouts) {
    this.run = run;
    this.rollouts = rollouts;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals(WRITE)) {
      write(List.of(arguments));
      return;
    }
    long rollouts = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1_000_000;
    int producers = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000;
    int groups = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 100;
    Path results = Path.of(arguments.length > 3 ? arguments[3] : "target/live-metrics");
    Files.createDirectories(results);
    Path work = Files.createTempDirectory(results.toAbsolutePath(), "work-");
    try (LocalStack stack = LocalStack.start(work.resolve("stack"))) {
      MetricsRun run = new MetricsRun(stack, new TopicCatalogue("load."));
      run.createTopics();
      LiveMetricsBenchmark benchmark = new LiveMetricsBenchmark(run, rollouts);
      List<String> toWrite =
          List.of(
              WRITE,
              stack.bootstrapServers(),
              stack.registryUrl(),
              Long.toString(rollouts),
              Integer.toString(producers),
              Integer.toString(groups));
      try (ChildProcess writer =
          ChildProcess.start(
              JvmCommand.ofOwnClassPath("writer", work, LiveMetricsBenchmark.class, toWrite)
                  .withJvmFlags("-Xmx256m", "-Dlogback.configurationFile=logback-children.xml"))) {
        while (arguments.length > 4 && arguments[4].equals("backlog") && writer.isAlive()) {
          Thread.sleep(PAUSE_MS);
        }
        benchmark.follow(work.resolve("state"), writer);
        benchmark.report(results, writer);
      }
    }
  }

  /** The other process. */
  private static void write(List<String> arguments) {
    MetricsRun run =
        new MetricsRun(arguments.get(1), arguments.get(2), new TopicCatalogue("load."));
    long rollouts = Long.parseLong(arguments.get(3));
    long startedAt = System.nanoTime();
    try (RecordCodec codec = run.codec();
        SyntheticRun script =
            new SyntheticRun(
                run.bootstrapServers(),
                run.topics(),
                codec,
                Integer.parseInt(arguments.get(4)),
                Integer.parseInt(arguments.get(5)),
                1)) {
      while (script.rollouts() < rollouts) {
        script.writeWindow();
      }
      script.finish();
      double seconds = (System.nanoTime() - startedAt) / 1e9;
      System.out.printf(
          Locale.ROOT,
          "written: %d rollouts of %.0f bytes, %d windows in %.1f s, %.0f records/s%n",
          script.rollouts(),
          (double) script.rolloutBytes() / script.rollouts(),
          script.windows(),
          seconds,
          script.rollouts() / seconds);
    }
  }

  private void follow(Path state, ChildProcess writer) throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (MetricsService service = run.service(state, null, registry)) {
      service.start();
      long startedAt = System.nanoTime();
      long tenth = 1;
      long firstAt = 0;
      while (tenth <= TENTHS) {
        Thread.sleep(PAUSE_MS);
        long seen = seen(service.port());
        if (firstAt == 0 && seen > 0) {
          firstAt = System.nanoTime();
          System.out.printf(Locale.ROOT, "first after %.1f s%n", (firstAt - startedAt) / 1e9);
        }
        while (tenth <= TENTHS && seen >= rollouts * tenth / TENTHS) {
          row(tenth, seen, (System.nanoTime() - firstAt) / 1e9, service.port(), registry);
          tenth++;
        }
        if (!writer.isAlive() && writer.exitCode() != 0) {
          throw new IllegalStateException("the writer ended with " + writer.exitCode());
        }
      }
      while (writer.isAlive()) {
        Thread.sleep(PAUSE_MS);
      }
      double written = (System.nanoTime() - firstAt) / 1e9;
      while (staleness(service.port()).get("lagRecords").asLong() > 0) {
        Thread.sleep(PAUSE_MS);
      }
      double settled = (System.nanoTime() - firstAt) / 1e9;
      rows.add("");
      rows.add(
          String.format(
              Locale.ROOT,
              "Writer ended %.1f s after the first rollout was seen; %.1f s after that every rollout"
                  + " was settled and the lag 0. Dead letters counted: %s.",
              written,
              settled - written,
              json(service.port(), "/api/dead-letters").get("total")));
    }
  }

  private void row(
      long tenth, long seen, double seconds, int port, PrometheusMeterRegistry registry)
      throws Exception {
    if (tenth == 1) {
      rows.add(
          "| tenth | rollouts seen | s | records/s so far | lag, records | heap used, MB | heap after"
              + " a collection, MB | RSS, MB | entries of the stores |");
      rows.add("|---|---|---|---|---|---|---|---|---|");
    }
    long used = heap();
    System.gc();
    String row =
        String.format(
            Locale.ROOT,
            "| %d | %d | %.1f | %.0f | %s | %d | %d | %d | %s |",
            tenth,
            seen,
            seconds,
            seen / seconds,
            staleness(port).get("lagRecords"),
            used,
            heap(),
            rss(),
            entries(registry));
    System.out.println(row);
    rows.add(row);
  }

  private void report(Path results, ChildProcess writer) throws IOException {
    String text =
        String.join("\n", rows) + "\n\n" + String.join("\n", writer.lastLogLines(1)) + "\n";
    System.out.println(text);
    Files.writeString(results.resolve("live-metrics.md"), text);
  }

  private static long seen(int port) throws Exception {
    long seen = 0;
    HttpResponse<String> answer = MetricsRun.get(port, "/api/producers");
    if (answer.statusCode() != 200) {
      return 0;
    }
    for (JsonNode producer : new ObjectMapper().readTree(answer.body()).get("producers")) {
      seen += producer.get("groups").asLong();
    }
    return seen;
  }

  private static JsonNode staleness(int port) throws Exception {
    return json(port, "/api/staleness?windows=1");
  }

  private static JsonNode json(int port, String path) throws Exception {
    return new ObjectMapper().readTree(MetricsRun.get(port, path).body());
  }

  private static Map<String, Long> entries(PrometheusMeterRegistry registry) {
    Map<String, Long> entries = new TreeMap<>();
    for (Gauge gauge : registry.find("p3o.streams.store.entries").gauges()) {
      entries.put(gauge.getId().getTag("store"), (long) gauge.value());
    }
    return entries;
  }

  private static long heap() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }

  private static long rss() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
      }
    }
    return -1;
  }
}
