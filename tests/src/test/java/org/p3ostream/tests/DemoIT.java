package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.tests.support.TestRun.until;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
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
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

/** {@code p3o demo} as its user starts it: a process that starts processes. */
class DemoIT {

  private static final Duration LONG = Duration.ofMinutes(8);

  /** Roles and stack of a demo with one producer. */
  private static final int CHILDREN = 5;

  @TempDir private Path directory;
  private ChildProcess demo;
  private final List<ProcessHandle> children = new ArrayList<>();

  @BeforeEach
  void makeScratch() throws Exception {
    Files.createDirectory(scratch());
  }

  @AfterEach
  void nothingIsLeftBehind() throws Exception {
    demo.close();
    assertThat(children).isNotEmpty().noneMatch(ProcessHandle::isAlive);
  }

  @Test
  void demoLearnsReportsAndRemovesItsTemporaryFiles() throws Exception {
    Path report = directory.resolve("report.json");
    start("--steps", "150", "--seed", "42", "--producers", "2", "--report-json", report.toString());
    until("the demo to have children", () -> collectChildren() > CHILDREN);

    assertThat(demo.awaitExit(LONG)).isTrue();

    assertThat(demo.exitCode()).as(String.join("\n", demo.lastLogLines(40))).isZero();
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
    assertThat(demo.lastLogLines(40)).anyMatch(line -> line.matches("live view http://127.*/ .*"));
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void demoEndsWithOneAndTheLogWhenAChildDies() throws Exception {
    start("--steps", "100000", "--work-dir", directory.resolve("work").toString());
    untilTraining();

    child("producer").destroyForcibly();

    assertThat(demo.awaitExit(LONG)).isTrue();
    assertThat(demo.exitCode()).isEqualTo(1);
    assertThat(demo.lastLogLines(40))
        .anyMatch(line -> line.contains("producer-1 ended with exit code 137"))
        .anyMatch(line -> line.contains("data and logs are in"));
  }

  @Test
  void demoEndsItsChildrenAndRemovesItsFilesWhenInterrupted() throws Exception {
    start("--steps", "100000");
    untilTraining();

    demo.terminate();

    assertThat(demo.awaitExit(LONG)).isTrue();
    assertThat(demo.exitCode()).isEqualTo(128 + 15);
    assertThat(demo.lastLogLines(5)).noneMatch(line -> line.contains("failed"));
    assertThat(temporaryFiles()).isEmpty();
    assertThat(directory.resolve("demo-report/report.html"))
        .content()
        .contains("of 100000 steps: it was interrupted");
  }

  @Test
  void demoLeavesNothingBehindWhenInterruptedAtItsStart() throws Exception {
    start("--steps", "100000");
    until(
        "the demo to begin",
        () ->
            collectChildren() > 0
                && demo.lastLogLines(3).stream()
                    .anyMatch(line -> line.startsWith("work directory ")));

    demo.terminate();

    assertThat(demo.awaitExit(LONG)).isTrue();
    assertThat(demo.exitCode()).isEqualTo(128 + 15);
    assertThat(demo.lastLogLines(40)).noneMatch(line -> line.contains("Exception"));
    assertThat(temporaryFiles()).isEmpty();
  }

  private void start(String... arguments) {
    List<String> command = new ArrayList<>(List.of("demo"));
    command.addAll(List.of(arguments));
    demo =
        ChildProcess.start(
            JvmCommand.ofOwnClassPath("demo", directory, P3o.class, command)
                .withTorch()
                .withJvmFlags(
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + scratch(),
                    "-Dp3o.registry.home=" + System.getProperty("p3o.registry.home")));
  }

  private void untilTraining() {
    until(
        "the demo to train",
        () -> {
          demo.requireAlive();
          return collectChildren() >= CHILDREN
              && demo.lastLogLines(3).stream().anyMatch(line -> line.startsWith("step "));
        });
  }

  /** Remembers every child seen, so that none can hide by ending its parent. */
  private int collectChildren() {
    ProcessHandle.of(demo.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .filter(child -> !children.contains(child))
        .forEach(children::add);
    return children.size();
  }

  private ProcessHandle child(String role) {
    return children.stream()
        .filter(child -> commandLine(child).contains("\0" + role + "\0"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no child runs " + role));
  }

  /** Arguments, each ended by a zero; {@link ProcessHandle} cuts long ones off. */
  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    } catch (IOException e) {
      return ""; // it has ended
    }
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
