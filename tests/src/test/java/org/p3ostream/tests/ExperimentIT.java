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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

/**
 * {@code p3o experiment} as its user starts it. A study that is killed and resumed has the tables
 * of its twin that nobody disturbed.
 */
@Tag("endurance")
class ExperimentIT {

  private static final Duration LONG = Duration.ofMinutes(8);
  private static final int RUNS = 4;
  private static final int STEPS = 6;
  private static final int LONGEST_PAUSE_MILLIS = 200;

  /** The second scenario expects what cannot be: its runs fail the execution part of the gate. */
  private static final String PLAN =
      """
      name: tiny
      title: Tiny
      question: Is it there?
      task: sort8
      steps: %d
      seeds: [7]
      baseline: grpo
      warmStart: {steps: 600, untilReward: 0.2, batchSize: 32, warmupSteps: 10}
      heldOut: {prompts: 8, evaluations: 2, everySteps: 3}
      settings:
        sampling.samplesPerGroup: 4
        sampling.maxResponseTokens: 9
        dispatch.groupsPerWindow: 4
        audit.exactKl: true
      scenarios:
        - {name: lag1, settings: {dispatch.maxStaleness: 1}, expect: {stalenessMin: 1, stalenessMax: 1, fromStep: 1}}
        - {name: misjudged, settings: {dispatch.maxStaleness: 0}, expect: {stalenessMin: 3, stalenessMax: 3}}
      algorithms:
        - {name: grpo, settings: {algorithm.name: grpo}}
        - {name: p3o, settings: {algorithm.name: p3o}}
      """
          .formatted(STEPS);

  /** What does not depend on when and how often something was executed. */
  private static final List<String> TABLES = List.of("summary.csv", "runs.csv", "differences.csv");

  @TempDir private static Path twinDirectory;
  private static JsonNode twin;

  @TempDir private Path directory;
  private final List<ChildProcess> started = new ArrayList<>();

  @BeforeAll
  static void runTheTwin() throws Exception {
    ChildProcess process = start(twinDirectory, "twin", "--plan", plan(twinDirectory));
    assertThat(process.awaitExit(LONG)).isTrue();
    assertThat(process.exitCode())
        .as(String.join("\n", process.lastLogLines(40)))
        .isEqualTo(1); // two runs do not pass the gate
    twin = outcome(process);
  }

  @AfterEach
  void endAll() {
    started.forEach(ChildProcess::close);
  }

  @Test
  void failedRunsStayInTheTablesAndTheOthersAreWhatTheirScenarioSays() throws Exception {
    assertThat(twin.get("over").asInt()).isEqualTo(RUNS);
    assertThat(twin.get("passedExecution").asInt()).isEqualTo(2);
    List<String> rows = Files.readAllLines(report(twinDirectory).resolve("runs.csv"));
    assertThat(rows).hasSize(1 + RUNS);
    assertThat(rows)
        .filteredOn(row -> row.startsWith("misjudged,"))
        .hasSize(2)
        .allMatch(row -> row.contains(",FAILED,") && row.contains("NOT staleness (0, expected 3"));
    assertThat(rows)
        .filteredOn(row -> row.startsWith("lag1,"))
        .allMatch(
            row -> row.startsWith("lag1,grpo,7,passed") || row.startsWith("lag1,p3o,7,passed"));
    assertThat(report(twinDirectory).resolve("report.md"))
        .content()
        .contains("[1 of 1 failed]", "4 runs of 6 steps: 2 passed the execution part of the gate");
    assertThat(report(twinDirectory).resolve("report.html")).content().contains("misjudged");
    assertThat(Files.readString(report(twinDirectory).resolve("trace.csv")))
        .contains(",tiny.lag1_p3o_7.1.,0,");
  }

  @Test
  void studyThatIsKilledAtAnyMomentAndResumedHasTheTablesOfItsTwin() throws Exception {
    long seed = Long.getLong("p3o.test.seed", System.nanoTime());
    System.out.println("ExperimentIT: -Dp3o.test.seed=" + seed);
    Random random = new Random(seed);
    int steps = random.nextInt(RUNS * STEPS);
    ChildProcess study = startHere("killed", "--plan", plan(directory));
    until(
        steps + " steps",
        () -> {
          boolean there = stepsLogged() >= steps;
          if (!there) {
            study.requireAlive();
          }
          return there;
        });
    pause(random.nextInt(LONGEST_PAUSE_MILLIS));

    study.kill();

    // with the plan: it may have been killed before it had written it
    assertThat(resumed("resumed", "--plan", plan(directory)).get("over").asInt()).isEqualTo(RUNS);
    tablesAreThoseOfTheTwin();
    resumed("again"); // nothing is left to do
    tablesAreThoseOfTheTwin();
  }

  @Test
  void studyThatIsInterruptedReportsWhatThereIsAndGoesOn() throws Exception {
    ChildProcess study = startHere("interrupted", "--plan", plan(directory), "--parallel", "1");
    until(
        "a run to be over and another to train",
        () -> {
          study.requireAlive();
          return stepsLogged() > STEPS + 1;
        });

    study.terminate();

    assertThat(study.awaitExit(LONG)).isTrue();
    assertThat(study.exitCode()).isEqualTo(128 + 15);
    assertThat(study.lastLogLines(10))
        .anyMatch(
            line ->
                line.equals("interrupted; to go on: ./p3o experiment --out " + out() + " --resume"))
        .noneMatch(line -> line.contains("Exception"));
    assertThat(report(directory).resolve("report.md")).content().contains("**Unfinished: ");
    assertThat(resumed("resumed").get("over").asInt()).isEqualTo(RUNS);
    tablesAreThoseOfTheTwin();
  }

  @Test
  void resultsOfAnotherConfigurationAndDamagedOnesAreMadeAnew() throws Exception {
    copy(twinDirectory.resolve("study"), out());
    Path damaged = out().resolve("runs/lag1_p3o_7/result.json");
    String whole = Files.readString(damaged);
    Files.writeString(damaged, whole.substring(0, whole.length() / 2));
    Path foreign = out().resolve("runs/lag1_grpo_7/result.json");
    Files.writeString(
        foreign,
        Files.readString(foreign)
            .replaceAll("\"runHash\":\"[0-9a-f]+\"", "\"runHash\":\"of-another\""));

    assertThat(refusal("asked")).contains("--resume: 1 runs that are over in", "lag1_grpo_7 first");
    resumed("resumed", "--discard");

    tablesAreThoseOfTheTwin();
    assertThat(Files.readString(report(directory).resolve("trace.csv")))
        .contains(",tiny.lag1_p3o_7.2.,", ",tiny.lag1_grpo_7.2.,", ",tiny.misjudged_p3o_7.1.,");
  }

  @Test
  void runThatFailedToExecuteIsRunAgainAndWhatWasLeftOfAnotherIsDeleted() throws Exception {
    copy(twinDirectory.resolve("study"), out());
    Path failed = out().resolve("runs/lag1_p3o_7/result.json");
    Files.writeString(
        failed,
        Files.readString(failed)
            .replace("\"failure\":null", "\"failure\":\"learner: another took over\""));
    Path note = Files.writeString(out().resolve("runs/lag1_grpo_7/keep"), "NONE");
    assertThat(topicsOnDisk("tiny.lag1_grpo_7.1.")).isNotEmpty();

    ChildProcess process = startHere("resumed", resuming());
    assertThat(process.awaitExit(LONG)).isTrue();

    assertThat(process.lastLogLines(100))
        .anyMatch(line -> line.startsWith("1 of them failed and are run again; their results stay"))
        .anyMatch(line -> line.startsWith("  lag1_p3o_7: NOT ended (learner: another took over)"));
    tablesAreThoseOfTheTwin();
    assertThat(Files.readString(report(directory).resolve("trace.csv")))
        .contains(",tiny.lag1_p3o_7.2.,", ",tiny.lag1_grpo_7.1.,", ",tiny.misjudged_p3o_7.1.,");
    assertThat(note).doesNotExist();
    assertThat(topicsOnDisk("tiny.lag1_grpo_7.1.")).isEmpty();
  }

  @Test
  void anotherPlanOverwritesNothing() throws Exception {
    copy(twinDirectory.resolve("study"), out());
    Path other = Files.writeString(directory.resolve("other.yaml"), PLAN.replace("tiny", "other"));
    Path changed =
        Files.writeString(
            directory.resolve("changed.yaml"),
            PLAN.replace("{dispatch.maxStaleness: 1}", "{dispatch.maxStaleness: 2}"));
    Path regated =
        Files.writeString(
            directory.resolve("regated.yaml"),
            PLAN.replace("baseline:", "gate: {rewardMargin: 0.9}\nbaseline:"));

    assertThat(refusal("other", "--plan", other.toString()))
        .contains("--plan: 'other' is not the study in", "which is 'tiny': give another --out");
    assertThat(refusal("changed", "--plan", changed.toString()))
        .contains(
            "--resume: 2 runs that are over in", "lag1_grpo_7 first: the plan or this program");
    ChildProcess process = startHere("regated", "--resume", "--plan", regated.toString());
    assertThat(process.awaitExit(LONG)).isTrue();
    assertThat(outcome(process).get("over").asInt()).isEqualTo(RUNS);
    assertThat(Files.readString(report(directory).resolve("trace.csv"))).doesNotContain(".2.,");
  }

  private String refusal(String name, String... arguments) throws IOException {
    ChildProcess process = startHere(name, resuming(arguments));
    assertThat(process.awaitExit(LONG)).isTrue();
    assertThat(process.exitCode()).isEqualTo(2);
    return String.join("\n", process.lastLogLines(5));
  }

  private static String[] resuming(String... more) {
    return Stream.concat(Stream.of("--resume"), Stream.of(more)).toArray(String[]::new);
  }

  private JsonNode resumed(String name, String... arguments) throws IOException {
    ChildProcess process = startHere(name, resuming(arguments));
    assertThat(process.awaitExit(LONG)).isTrue();
    assertThat(process.exitCode())
        .as(String.join("\n", process.lastLogLines(40)))
        .isEqualTo(1); // as the twin
    return outcome(process);
  }

  private void tablesAreThoseOfTheTwin() {
    for (String table : TABLES) {
      assertThat(report(directory).resolve(table))
          .as(table)
          .hasSameTextualContentAs(report(twinDirectory).resolve(table));
    }
  }

  private ChildProcess startHere(String name, String... arguments) throws IOException {
    ChildProcess process = start(directory, name, arguments);
    started.add(process);
    return process;
  }

  private static ChildProcess start(Path place, String name, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("experiment", "--json", "--out", place.resolve("study").toString()));
    command.addAll(List.of(arguments));
    return ChildProcess.start(
        JvmCommand.ofOwnClassPath(name, place, P3o.class, command)
            .withTorch()
            .withQuickWarmUp()
            .withJvmFlags(
                "-Xmx768m",
                "-Dlogback.configurationFile=logback.xml", // steps are counted in its log
                "-Djava.io.tmpdir=" + place,
                "-Dp3o.registry.home=" + System.getProperty("p3o.registry.home")));
  }

  private static String plan(Path place) throws IOException {
    return Files.writeString(place.resolve("tiny.yaml"), PLAN).toString();
  }

  /** The last line that a study printed. */
  private static JsonNode outcome(ChildProcess process) throws IOException {
    return new ObjectMapper()
        .readTree(
            process.lastLogLines(5).stream()
                .filter(line -> line.startsWith("{"))
                .findFirst()
                .orElseThrow());
  }

  private Path out() {
    return directory.resolve("study");
  }

  private static Path report(Path place) {
    return place.resolve("study/report");
  }

  /** Partitions of the broker that are not deleted. */
  private List<String> topicsOnDisk(String prefix) throws IOException {
    try (Stream<Path> files = Files.walk(out().resolve("stack"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(prefix) && !name.endsWith("-delete"))
          .toList();
    }
  }

  private long stepsLogged() throws IOException {
    Path log = out().resolve("experiment.log");
    if (!Files.exists(log)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("WindowStep: step ")).count();
    }
  }

  private static void pause(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
