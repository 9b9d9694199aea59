package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.tests.support.TestRun.until;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.workdirectory.WorkDirectoryStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.tests.support.DemoProcess;

/** {@code p3o demo} as its user starts it: a process that starts processes. */
class DemoIT {

  private static final Duration LONG = Duration.ofMinutes(8);

  @TempDir private Path directory;
  private DemoProcess demo;

  @BeforeEach
  void makeScratch() throws Exception {
    Files.createDirectory(scratch());
  }

  @AfterEach
  void nothingIsLeftBehind() throws Exception {
    demo.close();
    assertThat(demo.children()).isNotEmpty().noneMatch(ProcessHandle::isAlive);
  }

  @Test
  void demoLearnsReportsAndRemovesItsTemporaryFiles() throws Exception {
    Path report = directory.resolve("report.json");
    start("--steps", "150", "--seed", "42", "--producers", "2", "--report-json", report.toString());
    until("the demo to have children", () -> demo.children().size() > DemoProcess.CHILDREN);

    assertThat(demo.process().awaitExit(LONG)).isTrue();

    assertThat(demo.process().exitCode())
        .as(String.join("\n", demo.process().lastLogLines(40)))
        .isZero();
    JsonNode figures = new ObjectMapper().readTree(report.toFile());
    assertThat(figures.get("steps").asLong()).isEqualTo(150);
    assertThat(figures.get("policyVersion").asLong()).isEqualTo(150);
    assertThat(figures.get("rewardFirst10").asDouble()).isLessThanOrEqualTo(0.5);
    assertThat(figures.get("rewardLast10").asDouble()).isGreaterThanOrEqualTo(0.8);
    assertThat(figures.get("stalenessMax").asLong()).isEqualTo(1);
    assertThat(figures.get("weightsSha256").asText()).matches("[0-9a-f]{64}");
    assertThat(figures.get("evalRewardBefore").asDouble()).isBetween(0.1, 0.5);
    assertThat(figures.get("evalRewardAfter").asDouble()).isGreaterThanOrEqualTo(0.8);
    long groups = figures.get("rolloutGroups").asLong();
    assertThat(groups).isGreaterThanOrEqualTo(150 * 8);
    for (JsonNode ofProducer : figures.get("groupsByProducer")) {
      assertThat(ofProducer.asLong()).isGreaterThanOrEqualTo(groups / 4);
    }
    assertThat(figures.get("groupsByProducer").size()).isEqualTo(2);
    assertThat(directory.resolve("demo-report/steps.csv")).content().hasLineCount(1 + 150);
    assertThat(directory.resolve("demo-report/report.html"))
        .content()
        .contains(figures.get("weightsSha256").asText(), "p3o demo --steps 150 --seed 42")
        .hasSizeLessThan(300_000);
    assertThat(demo.process().lastLogLines(400))
        .anyMatch(line -> line.matches("live view http://127.*/ .*"));
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void demoEndsWithOneAndTheLogWhenAChildDies() throws Exception {
    start("--steps", "100000", "--work-dir", directory.resolve("work").toString());
    demo.untilTraining();

    demo.child("producer").destroyForcibly();

    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode()).isEqualTo(1);
    assertThat(demo.process().lastLogLines(40))
        .anyMatch(line -> line.contains("producer-1 ended with exit code 137"))
        .anyMatch(line -> line.contains("data and logs are in") && line.endsWith(" --resume"));
  }

  @Test
  void demoEndsItsChildrenAndRemovesItsFilesWhenInterrupted() throws Exception {
    start("--steps", "100000");
    demo.untilTraining();

    demo.process().terminate();

    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode()).isEqualTo(128 + 15);
    assertThat(demo.process().lastLogLines(5)).noneMatch(line -> line.contains("failed"));
    assertThat(temporaryFiles()).isEmpty();
    assertThat(directory.resolve("demo-report/report.html"))
        .content()
        .contains("of 100000 steps: it was interrupted");
  }

  @Test
  void demoOfAWorkDirectorySaysHowToGoOnWhenInterrupted() throws Exception {
    String work = directory.resolve("work").toString();
    start("--steps", "100000", "--work-dir", work);
    demo.untilTraining();

    demo.process().terminate();

    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode()).isEqualTo(128 + 15);
    assertThat(demo.process().lastLogLines(5))
        .anyMatch(line -> line.endsWith("./p3o demo --work-dir " + work + " --resume"));
  }

  /** So short a run is over before the metrics of its first step are there. */
  @Test
  void demoOfAWorkDirectoryWaitsForItsMetrics() throws Exception {
    String work = directory.resolve("work").toString();
    start("--steps", "3", "--work-dir", work);
    until("the demo to have children", () -> !demo.children().isEmpty());

    assertThat(demo.process().awaitExit(LONG)).isTrue();

    assertThat(demo.process().exitCode())
        .as(String.join("\n", demo.process().lastLogLines(40)))
        .isZero();
    List<MetricPoint> points = metrics();
    for (Metric metric : List.of(Metric.NORMALIZED_ESS, Metric.REWARD_MEAN, Metric.LAG_RECORDS)) {
      assertThat(points)
          .filteredOn(point -> point.getName().equals(metric.metricName()))
          .extracting(MetricPoint::getStep)
          .as(metric.metricName())
          .containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void demoLeavesNothingBehindWhenInterruptedAtItsStart() throws Exception {
    start("--steps", "100000");
    until(
        "the demo to begin",
        () ->
            !demo.children().isEmpty()
                && demo.process().lastLogLines(3).stream()
                    .anyMatch(line -> line.startsWith("work directory ")));

    demo.process().terminate();

    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode()).isEqualTo(128 + 15);
    assertThat(demo.process().lastLogLines(40)).noneMatch(line -> line.contains("Exception"));
    assertThat(temporaryFiles()).isEmpty();
  }

  /** With nothing but broker and registry of the work directory up. */
  private List<MetricPoint> metrics() throws Exception {
    List<MetricPoint> points = new ArrayList<>();
    try (WorkDirectoryStack stack =
            WorkDirectoryStack.open(
                directory.resolve("work"), "p3o test", List.of(), notice -> {});
        RoleClients clients = new RoleClients(stack.config())) {
      TopicSpec topic = new TopicCatalogue(stack.config().run().topicPrefix()).metrics();
      LogFollower log = new LogFollower(clients.reader(), clients.codec(), topic);
      while (!log.isAtEnd()) {
        log.poll(Duration.ofSeconds(1)).forEach(point -> points.add((MetricPoint) point));
      }
    }
    return points;
  }

  private void start(String... arguments) {
    demo = DemoProcess.start("demo", directory, scratch(), List.of(arguments));
  }

  private Path scratch() {
    return directory.resolve("scratch");
  }

  private List<Path> temporaryFiles() throws Exception {
    try (Stream<Path> files = Files.list(scratch())) {
      return files.toList();
    }
  }
}
