package org.p3ostream.tests.meters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.tests.support.TestRun.until;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.hawkular.agent.prometheus.types.MetricType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.tests.support.DemoProcess;

/**
 * What the processes of a running demo serve: it parses, keeps the conventions, and is what is
 * said.
 */
class MetersIT {

  private static final Path DEPLOY = Path.of("..", "deploy");
  private static final Path PAGE = Path.of("..", "docs", "metrics.md");
  private static final List<String> PROCESSES =
      List.of("learner.json", "producer-1.json", "streams.json");

  /** Made by Prometheus itself. */
  private static final Set<String> OF_PROMETHEUS = Set.of("up");

  /** Families that come from libraries; their names are not ours. */
  private static final Pattern OF_LIBRARIES =
      Pattern.compile("(jvm|process|system|kafka|vertx)_.*");

  /** Gauges that come one after the other, as their partitions are read: one scrape needs all. */
  private static final List<String> LABELLED =
      List.of(
          "p3o_rollout_task_reward_mean",
          "p3o_rollout_task_response_length_mean_tokens",
          "p3o_rollout_task_truncated_fraction",
          "p3o_rollout_task_finish_reason_fraction",
          "p3o_rollout_stage_latency_mean_seconds",
          "p3o_rollout_stage_latency_p50_seconds",
          "p3o_rollout_stage_latency_p95_seconds",
          "p3o_rollout_stage_latency_max_seconds",
          "p3o_rollout_producer_rate_groups_per_second",
          "p3o_rollout_producer_throughput_tokens_per_second",
          "p3o_rollout_producer_failures_records",
          "p3o_rollout_producer_last_seen_timestamp_seconds",
          "p3o_rollout_producer_staleness_mean_versions",
          "p3o_rollout_producer_staleness_max_versions",
          "p3o_rollout_dead_letters_records");

  private static final Pattern NAMED_ON_THE_PAGE = Pattern.compile("`(p3o_[a-z0-9_]+)");

  @TempDir private static Path directory;
  private static DemoProcess demo;
  private static final Map<String, Scrape> SCRAPES = new LinkedHashMap<>();

  @BeforeAll
  static void scrapeARunningDemo() throws Exception {
    Path scratch = Files.createDirectory(directory.resolve("scratch"));
    Path work = directory.resolve("work");
    demo =
        DemoProcess.start(
            "demo",
            directory,
            scratch,
            List.of("--steps", "100000", "--no-report", "--work-dir", work.toString()));
    demo.untilTraining();
    until("every process to serve", () -> scrape(work.resolve("targets")));
  }

  @AfterAll
  static void end() {
    if (demo != null) {
      demo.killEverything();
      demo.close();
    }
  }

  @Test
  void everySampleIsUnderstoodByAParserOfOthers() {
    SCRAPES.forEach(
        (process, scrape) ->
            assertThat(scrape.samplesUnderstood())
                .as(process)
                .isEqualTo(scrape.sampleLines().size())
                .isGreaterThan(50));
  }

  @Test
  void metricsThatAreKilledAreStartedAgainAndTheTrainingGoesOn() {
    ProcessHandle killed = demo.child("streams");
    killed.destroyForcibly();
    until(
        "other streams",
        () -> {
          demo.process().requireAlive();
          return demo.children().stream()
              .anyMatch(
                  child -> child.isAlive() && child.pid() != killed.pid() && isStreams(child));
        });
    assertThat(demo.process().lastLogLines(200))
        .anyMatch(line -> line.startsWith("the metrics ended with exit code 137 and are started"));
  }

  private static boolean isStreams(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
          .contains("\0streams\0");
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  @Test
  void namesKeepTheConventions() {
    for (MetricFamily family : ours()) {
      String name = family.getName();
      assertThat(name).matches("p3o(_[a-z][a-z0-9]*)+");
      assertThat(name)
          .as("base units only")
          .doesNotContainPattern("_(ms|millis|milliseconds|ns|nanos|minutes|kb|mb|percent)(_|$)");
      assertThat(name.endsWith("_total"))
          .as(name + " is a " + family.getType())
          .isEqualTo(family.getType() == MetricType.COUNTER);
      if (family.getType() == MetricType.SUMMARY) {
        assertThat(name).endsWith("_seconds");
      }
      assertThat(family.getHelp()).as(name).isNotBlank();
      family
          .getMetrics()
          .forEach(
              metric ->
                  assertThat(metric.getLabels().keySet())
                      .as(name)
                      .allMatch(label -> label.matches("[a-z][a-z_]*")));
    }
  }

  @Test
  void pageNamesWhatIsServedAndWhatIsServedIsOnThePage() throws IOException {
    assertThat(ours().stream().map(MetricFamily::getName).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(namedOnThePage());
  }

  @Test
  void everyOtherNameIsOfALibraryThatThePageNames() throws IOException {
    String page = Files.readString(PAGE);
    Set<String> families = new TreeSet<>();
    SCRAPES.values().forEach(scrape -> families.addAll(scrape.familyNames()));
    assertThat(families)
        .allMatch(name -> name.startsWith("p3o_") || OF_LIBRARIES.matcher(name).matches());
    families.stream()
        .filter(name -> !name.startsWith("p3o_"))
        .map(name -> name.substring(0, name.indexOf('_') + 1))
        .distinct()
        .forEach(prefix -> assertThat(page).contains("`" + prefix + "`"));
  }

  @Test
  void everyProcessServesItsJvmAndItsKafkaClients() {
    SCRAPES.forEach(
        (process, scrape) ->
            assertThat(scrape.familyNames())
                .as(process)
                .contains(
                    "jvm_memory_used_bytes",
                    "jvm_gc_pause_seconds",
                    "process_cpu_time_ns_total",
                    "kafka_consumer_fetch_manager_records_consumed_total",
                    "kafka_producer_txn_commit_time_ns_total"));
  }

  @Test
  void everyQueryAndRuleNamesMetricsThatAreServed() throws IOException {
    Set<String> served = new TreeSet<>(OF_PROMETHEUS);
    SCRAPES.values().forEach(scrape -> served.addAll(scrape.sampleNames()));
    List<Path> dashboards;
    try (Stream<Path> files = Files.list(DEPLOY.resolve("grafana"))) {
      dashboards = files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    assertThat(dashboards).isNotEmpty();
    for (Path dashboard : dashboards) {
      assertServed(dashboard, QueriedNames.ofDashboard(dashboard), served);
    }
    Path rules = DEPLOY.resolve("prometheus/p3o-rules.yml");
    assertServed(rules, QueriedNames.ofRules(rules), served);
  }

  @Test
  void promtoolFindsNothingToComplainAbout() throws Exception {
    requirePromtool();
    Path prometheus = DEPLOY.resolve("prometheus");
    assertThat(
            promtool(
                "",
                "check",
                "config",
                "--syntax-only",
                prometheus.resolve("prometheus.yml").toString()))
        .contains("SUCCESS");
    assertThat(promtool("", "check", "rules", prometheus.resolve("p3o-rules.yml").toString()))
        .contains("SUCCESS");
    assertThat(promtool("", "test", "rules", prometheus.resolve("p3o-rules-test.yml").toString()))
        .contains("SUCCESS");
    for (Map.Entry<String, Scrape> scrape : SCRAPES.entrySet()) {
      assertThat(promtool(scrape.getValue().text(), "check", "metrics").lines())
          .as(scrape.getKey())
          .noneMatch(line -> line.startsWith("p3o_") || line.startsWith("error"));
    }
  }

  private static void assertServed(Path file, List<String> expressions, Set<String> served) {
    assertThat(expressions).as(file.toString()).hasSizeGreaterThan(5);
    for (String expression : expressions) {
      assertThat(QueriedNames.in(expression)).as(file + ": " + expression).isNotEmpty();
      assertThat(served).as(file + ": " + expression).containsAll(QueriedNames.in(expression));
    }
  }

  private static List<MetricFamily> ours() {
    return SCRAPES.values().stream()
        .flatMap(scrape -> scrape.families().stream())
        .filter(family -> family.getName().startsWith("p3o_"))
        .filter(family -> !isLargestOfATimer(family.getName()))
        .toList();
  }

  /** Micrometer adds the largest value of a timer as a gauge. */
  private static boolean isLargestOfATimer(String name) {
    return name.endsWith("_seconds_max");
  }

  private static Set<String> namedOnThePage() throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher name = NAMED_ON_THE_PAGE.matcher(Files.readString(PAGE));
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }

  /**
   * Takes what the processes serve; whether it holds a few steps, and what only comes with them.
   */
  private static boolean scrape(Path targets) {
    try {
      for (String process : PROCESSES) {
        if (!Files.exists(targets.resolve(process))) {
          return false;
        }
        SCRAPES.put(process, Scrape.of(targets.resolve(process)));
      }
    } catch (IOException e) {
      return false; // not up yet
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return holds("streams.json", "p3o_rollout_lag_records [0-9].*")
        && holds("streams.json", "p3o_train_staleness_tokens\\{.*")
        && PROCESSES.stream().allMatch(name -> holds(name, "jvm_gc_pause_seconds_count\\{.*"))
        && LABELLED.stream().allMatch(name -> holds("streams.json", name + "\\{.*"))
        && holds("learner.json", "p3o_learner_step ([2-9]|\\d\\d).*");
  }

  private static boolean holds(String process, String sample) {
    Scrape scrape = SCRAPES.get(process);
    return scrape != null && scrape.sampleLines().stream().anyMatch(line -> line.matches(sample));
  }

  private static void requirePromtool() throws InterruptedException {
    try {
      new ProcessBuilder("promtool", "--version").start().waitFor();
    } catch (IOException e) {
      Assumptions.abort("promtool is not installed: " + e.getMessage());
    }
  }

  private static String promtool(String input, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path file = Files.writeString(directory.resolve("promtool-input"), input);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(file.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return output;
  }
}
