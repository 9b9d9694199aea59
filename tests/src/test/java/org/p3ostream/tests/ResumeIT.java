package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.workdirectory.WorkDirectoryStack;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.DemoProcess;

/**
 * A demo that is killed and resumed ends with the weights of its twin that nobody disturbed. The
 * twin's ledger tells them for every step, so that most runs are resumed to a few steps only.
 */
@Tag("endurance")
class ResumeIT {

  private static final Duration LONG = Duration.ofMinutes(8);
  private static final int STEPS = 80;
  private static final int FEWER_STEPS = 60;

  /** Before the last step, so that there is something left to do. */
  private static final int LAST_KILL = 40;

  private static final int LONGEST_PAUSE_MILLIS = 80;

  @TempDir private static Path twinDirectory;
  private static List<String> twinWeights = List.of();

  @TempDir private Path directory;
  private final List<DemoProcess> started = new ArrayList<>();
  private Random random;

  @BeforeAll
  static void runTheTwin() throws Exception {
    try (DemoProcess twin =
        DemoProcess.start(
            "twin", twinDirectory, twinDirectory, List.of("--steps", String.valueOf(STEPS)))) {
      assertThat(twin.process().awaitExit(LONG)).isTrue();
      assertThat(twin.process().exitCode())
          .as(String.join("\n", twin.process().lastLogLines(40)))
          .isZero();
    }
    twinWeights = weights(twinDirectory.resolve("demo-report/steps.csv"));
    assertThat(twinWeights).hasSize(STEPS);
  }

  @BeforeEach
  void seed() {
    long seed = Long.getLong("p3o.test.seed", System.nanoTime());
    System.out.println("ResumeIT: -Dp3o.test.seed=" + seed);
    random = new Random(seed);
  }

  @AfterEach
  void nothingIsLeftBehind() {
    started.forEach(DemoProcess::close);
    for (DemoProcess demo : started) {
      until(
          "its children to end", () -> demo.children().stream().noneMatch(ProcessHandle::isAlive));
    }
  }

  @Test
  void demoWhoseLearnerIsKilledAtAnyMomentEndsWithTheWeightsOfItsTwin() throws Exception {
    int step = random.nextInt(LAST_KILL);
    System.out.println("ResumeIT: kill -9 of the learner soon after step " + step);
    DemoProcess demo = start("--steps", String.valueOf(STEPS));
    untilStep(demo, step);
    pause(LONGEST_PAUSE_MILLIS);

    demo.child("learner").destroyForcibly();

    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode()).isEqualTo(1);
    assertThat(demo.process().lastLogLines(40))
        .anyMatch(line -> line.contains("learner ended with exit code 137"))
        .anyMatch(line -> line.endsWith("./p3o demo --work-dir " + work() + " --resume"));

    JsonNode report = finish(resume());

    assertThat(report.get("steps").asInt()).isEqualTo(STEPS);
    assertThat(report.get("learnerStarts").asInt()).isEqualTo(2);
    assertThat(report.get("weightsSha256").asText()).isEqualTo(twinWeights.get(STEPS - 1));
    assertThat(weights(directory.resolve("demo-report/steps.csv"))).isEqualTo(twinWeights);

    assertThat(finish(resume()).get("weightsSha256")).isEqualTo(report.get("weightsSha256"));
    fewerStepsThanThereAreAreRefused();
    theLogIsTheRun(STEPS);
  }

  @Test
  void demoThatIsKilledBeforeAndAfterItsFirstStepEndsWithTheWeightsOfItsTwin() throws Exception {
    DemoProcess demo = start("--steps", String.valueOf(STEPS));
    until("the run to begin", () -> Files.exists(work().resolve("demo.json")));
    pause(3_000); // anything from no file at all to the first step
    System.out.println("ResumeIT: kill -9 of everything with " + files() + " there");
    demo.killEverything();

    DemoProcess second = resume("--producers", "2");
    untilStep(second, 1);
    pause(LONGEST_PAUSE_MILLIS);
    second.process().kill(); // its children are still there when the next one starts

    DemoProcess third = resume("--steps", String.valueOf(FEWER_STEPS));
    untilStep(third, 3);
    try (WorkDirectoryStack stack = open()) {
      assertThat(third.process().lastLogLines(40))
          .as("whoever reads meanwhile shares the broker")
          .anyMatch(line -> line.startsWith("broker " + stack.config().bootstrapServers()));
    }
    third.child("org.p3ostream.deploy.stack.BrokerMain").destroyForcibly();
    assertThat(third.process().awaitExit(LONG)).isTrue();
    assertThat(third.process().exitCode()).isEqualTo(1);
    assertThat(third.process().lastLogLines(40))
        .anyMatch(line -> line.contains("broker ended with exit code 137"));

    JsonNode report = finish(resume());

    assertThat(report.get("steps").asInt()).as("as it was asked for last").isEqualTo(FEWER_STEPS);
    assertThat(weights(directory.resolve("demo-report/steps.csv")))
        .as("the schedule is still that of the first start")
        .isEqualTo(twinWeights.subList(0, FEWER_STEPS));
    theLogIsTheRun(FEWER_STEPS);
  }

  private void fewerStepsThanThereAreAreRefused() {
    DemoProcess refused = resume("--steps", String.valueOf(STEPS - 1));
    assertThat(refused.process().awaitExit(LONG)).isTrue();
    assertThat(refused.process().exitCode()).isEqualTo(2);
    assertThat(refused.process().lastLogLines(3))
        .anyMatch(line -> line.contains("--steps: 79, but the run has 80 steps already"));
  }

  /** Audits the run with nothing but its broker and registry up, and claims it meanwhile. */
  private void theLogIsTheRun(int steps) throws Exception {
    try (WorkDirectoryStack stack = open()) {
      assertThatThrownBy(this::open)
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("is in use by p3o test, process " + ProcessHandle.current().pid());
      AuditReport report = RunAudit.of(stack.config());
      assertThat(report.problems()).isEmpty();
      assertThat(report.ok()).isTrue();
      assertThat(report.steps()).isEqualTo(steps);
      assertThat(report.weightsSha256()).isEqualTo(twinWeights.get(steps - 1));
    }
  }

  private WorkDirectoryStack open() {
    return WorkDirectoryStack.open(work(), "p3o test", List.of(), notice -> {});
  }

  private DemoProcess start(String... options) {
    List<String> arguments =
        new ArrayList<>(
            List.of("--work-dir", work().toString(), "--report-json", reportFile().toString()));
    arguments.addAll(List.of(options));
    DemoProcess demo =
        DemoProcess.start("demo-" + (started.size() + 1), directory, directory, arguments);
    started.add(demo);
    return demo;
  }

  private DemoProcess resume(String... options) {
    return start(Stream.concat(Stream.of("--resume"), Stream.of(options)).toArray(String[]::new));
  }

  private JsonNode finish(DemoProcess demo) throws IOException {
    assertThat(demo.process().awaitExit(LONG)).isTrue();
    assertThat(demo.process().exitCode())
        .as(String.join("\n", demo.process().lastLogLines(40)))
        .isZero();
    return new ObjectMapper().readTree(reportFile().toFile());
  }

  /** Returns once a step, counted from 0, or a later one is in the ledger of a demo that is up. */
  private void untilStep(DemoProcess demo, long step) throws Exception {
    until(
        "broker and registry",
        () -> {
          demo.process().requireAlive();
          return demo.process().lastLogLines(40).stream().anyMatch(l -> l.startsWith("broker "));
        });
    P3oConfig config = ConfigLoader.load(work().resolve("p3o.yaml"), List.of());
    try (RoleClients clients = new RoleClients(config)) {
      until("topics", () -> clients.admin().listTopics().names().get().contains("p3o.steps"));
      TopicSpec steps = new TopicCatalogue(config.run().topicPrefix()).steps();
      LogFollower ledger = new LogFollower(clients.reader(), clients.codec(), steps);
      AtomicLong last = new AtomicLong(-1);
      until(
          "step " + step,
          () -> {
            demo.process().requireAlive();
            for (SpecificRecord event : ledger.poll(Duration.ofMillis(20))) {
              last.set(((StepEvent) event).getStep());
            }
            return last.get() >= step;
          });
    }
  }

  /** A demo that fails is noticed at once; a crowded machine is only slow. */
  private static void until(String what, Callable<Boolean> condition) {
    await(what).atMost(LONG).pollInterval(Duration.ofMillis(20)).until(condition);
  }

  private void pause(int atMostMillis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(atMostMillis)));
  }

  private Path work() {
    return directory.resolve("work");
  }

  private Path reportFile() {
    return directory.resolve("report.json");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(work())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Weights after every step, out of a report. */
  private static List<String> weights(Path csv) throws IOException {
    List<String> lines = Files.readAllLines(csv);
    return lines.subList(1, lines.size()).stream()
        .map(line -> line.substring(line.lastIndexOf(',') + 1))
        .toList();
  }
}
