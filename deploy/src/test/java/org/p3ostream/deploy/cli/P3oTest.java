package org.p3ostream.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.deploy.stack.FreePorts;
import picocli.CommandLine;

class P3oTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "up",
        "demo",
        "learner",
        "producer",
        "streams",
        "pretrain",
        "log",
        "metrics",
        "top",
        "audit",
        "experiment"
      })
  void helpExitsWithZero(String command) {
    int exitCode = command.isEmpty() ? execute("--help") : execute(command, "--help");
    assertThat(exitCode).isZero();
    assertThat(out.toString()).startsWith(("Usage: p3o " + command).strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rollouts", "steps", "snapshots", "dead-letters"})
  void logHelpExitsWithZero(String topic) {
    assertThat(execute("log", topic, "--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: p3o log " + topic).contains("--follow");
  }

  @Test
  void logWithoutATopicExitsWithTwo() {
    assertThat(execute("log")).isEqualTo(2);
    assertThat(err.toString())
        .contains("Usage: p3o log", "rollouts", "steps", "snapshots", "dead-letters");
  }

  @Test
  void demoExitsWithTwoWhenThereIsNoRunToResume(@TempDir Path directory) {
    assertThat(execute("demo", "--resume", "--work-dir", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains(directory + " holds no run of p3o demo");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void demoExitsWithTwoWhenThereIsARunAlready(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("demo.json"), "{}");
    assertThat(execute("demo", "--work-dir", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("holds a run already: --resume goes on with it");
  }

  @Test
  void logExitsWithTwoWhenTheLimitIsNegative() {
    assertThat(execute("log", "rollouts", "--limit=-1")).isEqualTo(2);
    assertThat(err.toString()).contains("--limit: -1 must be >= 0");
  }

  @Test
  void metricsAndTopExitWithTwoAndNameTheOptionThatIsWrong(@TempDir Path directory) {
    assertThat(execute("metrics", "--from=-1")).isEqualTo(2);
    assertThat(err.toString()).contains("--from: -1 must be >= 0");
    assertThat(execute("top", "--interval=10ms")).isEqualTo(2);
    assertThat(err.toString()).contains("--interval: 10ms must be >= 100ms");
    assertThat(execute("top", "--url=ftp://x/")).isEqualTo(2);
    assertThat(err.toString()).contains("--url: 'ftp://x/' must be an address like http://");
    assertThat(execute("top", "--work-dir", directory.toString(), "--config=x")).isEqualTo(2);
    assertThat(err.toString()).contains("--work-dir: cannot stand beside --config");
    assertThat(execute("top", "--work-dir", directory.toString())).isEqualTo(2);
    assertThat(execute("top", "--token-file", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--token-file: ", "none cannot be read");
  }

  @Test
  void topExitsWithOneAndNamesTheAddressWhenNobodyAnswers() {
    int port = FreePorts.onLoopback(1).get(0);
    assertThat(execute("top", "--set", "streams.port=" + port)).isEqualTo(1);
    assertThat(err.toString()).contains("nobody answers at http://127.0.0.1:" + port + "/");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void logExitsWithTwoWhenStepsAreChosenInTwoWays() {
    assertThat(execute("log", "steps", "--window=1", "--from=1", "--broker-timeout=1ms"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--window: cannot stand beside --from or --to");
    assertThat(execute("log", "snapshots", "--from=3", "--to=2")).isEqualTo(2);
    assertThat(err.toString()).contains("--from: 3 must not be above --to, 2");
    assertThat(execute("log", "dead-letters", "--reason=NONE_SUCH")).isEqualTo(2);
    assertThat(err.toString()).contains("NONE_SUCH", "DUPLICATE");
  }

  @Test
  void logExitsWithOneAndNamesTheAddressWhenNoBrokerAnswers() {
    String address = "127.0.0.1:" + FreePorts.onLoopback(1).get(0);
    String[] command = {
      "log", "rollouts", "--broker-timeout=300ms", "--set", "kafka.bootstrap.servers=" + address
    };
    assertThat(execute(command)).isEqualTo(1);
    assertThat(err.toString())
        .contains("no Kafka broker answers at kafka.bootstrap.servers=" + address);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void experimentExitsWithTwoAndNamesWhatIsWrong(@TempDir Path directory) throws Exception {
    String out = directory.resolve("out").toString();
    assertThat(execute("experiment", "--plan", "smoke")).isEqualTo(2);
    assertThat(err.toString()).contains("--out");
    assertThat(execute("experiment", "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains("--plan: must name a file or one of smoke, mismatch,");
    assertThat(execute("experiment", "--plan", "none", "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains("--plan: 'none' must be a file or one of smoke,");
    assertThat(execute("experiment", "--plan", "smoke", "--out", out, "--parallel=-1"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--parallel: -1 must be >= 1");
    assertThat(execute("experiment", "--plan", "smoke", "--out", out, "--parallel=0")).isEqualTo(2);
    assertThat(err.toString()).contains("--parallel: 0 must be >= 1");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThat(execute("experiment", "--plan", binary.toString(), "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains("--plan: " + binary + " must be text in UTF-8");
    assertThat(execute("experiment", "--plan", "smoke", "--out", binary.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--out: " + binary + " must be a directory");
    assertThat(execute("experiment", "--resume", "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains(out + " holds no experiment: it has no plan.yaml");
    Path plan = Files.writeString(directory.resolve("plan.yaml"), "name: x\nscenarioz: []\n");
    assertThat(execute("experiment", "--plan", plan.toString(), "--out", out)).isEqualTo(2);
    assertThat(err.toString()).contains(plan + ": scenarioz: unknown key; did you mean scenarios?");
    assertThat(directory.resolve("out")).doesNotExist();
  }

  @Test
  void whatCannotBeMeantExitsWithTwoBeforeAnythingIsAsked(@TempDir Path directory) {
    assertThat(execute("audit", "--group=-1")).isEqualTo(2);
    assertThat(err.toString()).contains("--group: -1 must be >= 0");
    assertThat(execute("audit", "--version=-2")).isEqualTo(2);
    assertThat(err.toString()).contains("--version: -2 must be >= 0");
    assertThat(execute("fork", "--at=1", "--prefix= ")).isEqualTo(2);
    assertThat(err.toString()).contains("--prefix: ' ' must name the topics of the fork");
    Path missing = directory.resolve("checkpoints");
    assertThat(execute("replay", "--checkpoints", missing.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--checkpoints: " + missing + " is not a directory");
  }

  @Test
  void noCommandExitsWithTwo() {
    assertThat(execute()).isEqualTo(2);
    assertThat(err.toString()).contains("Usage: p3o");
  }

  @Test
  void unknownOptionExitsWithTwo() {
    assertThat(execute("learner", "--stepz=3")).isEqualTo(2);
    assertThat(err.toString()).contains("--stepz");
  }

  @Test
  void windowThatIsNoNumberExitsWithTwo() {
    assertThat(execute("learner", "--skip-window", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--skip-window").contains("'x'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"learner", "producer", "streams"})
  void unknownConfigurationKeyExitsWithTwoAndNamesIt(String role) {
    assertThat(execute(role, "--set", "learner.stepz=3")).isEqualTo(2);
    assertThat(err.toString()).contains("p3o: learner.stepz: unknown key; did you mean steps?");
  }

  @Test
  void badDurationExitsWithTwoAndNamesTheRule() {
    assertThat(execute("learner", "--broker-timeout", "5")).isEqualTo(2);
    assertThat(err.toString()).contains("'5' must be a whole number with a unit");
  }

  @Test
  void brokenRuleExitsWithTwoAndNamesPathValueAndRule() {
    assertThat(execute("learner", "--set", "dispatch.maxStaleness=-1")).isEqualTo(2);
    assertThat(err.toString())
        .contains("p3o: dispatch.maxStaleness: -1 must be >= 0 policy versions");
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "0, 4", "1, 2", "1, 4", "2, 4"})
  void holdBackOfMoreThanIsDispatchedExitsWithTwoForAnySyncInterval(
      int maxStaleness, int holdBack) {
    for (int syncInterval : new int[] {1, 3, 8}) {
      String[] dial = {
        "--set", "dispatch.maxStaleness=" + maxStaleness,
        "--set", "dispatch.syncInterval=" + syncInterval,
        "--set", "learner.holdBackWindows=" + holdBack
      };
      assertThat(execute(with(dial, "learner"))).isEqualTo(2);
      assertThat(err.toString()).contains(refusal(maxStaleness, holdBack));
    }
  }

  @Test
  void holdBackOfADemoBeyondItsStalenessExitsWithTwo() {
    assertThat(execute("demo", "--hold-back", "2", "--no-report")).isEqualTo(2);
    assertThat(err.toString()).contains(refusal(1, 2));
  }

  private static String[] with(String[] options, String command) {
    return Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new);
  }

  private static String refusal(int maxStaleness, int holdBack) {
    return "p3o: learner.holdBackWindows: %d must be <= dispatch.maxStaleness (%d): no more windows"
        .formatted(holdBack, maxStaleness);
  }

  @ParameterizedTest
  @ValueSource(strings = {"learner", "producer", "streams"})
  void unreachableBrokerExitsWithOneAndNamesTheAddress(String role) {
    String address = "127.0.0.1:" + FreePorts.onLoopback(1).get(0);
    int exitCode =
        execute(role, "--set", "kafka.bootstrap.servers=" + address, "--broker-timeout", "300ms");
    assertThat(exitCode).isEqualTo(1);
    assertThat(err.toString())
        .contains("no Kafka broker answers at kafka.bootstrap.servers=" + address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--steps=0", "--producers=0"})
  void demoExitsWithTwoWhenANumberIsTooSmall(String option) {
    assertThat(execute("demo", option)).isEqualTo(2);
    assertThat(err.toString()).contains(option.replace("=", ": ") + " must be >= 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"learner.steps=3", "registry.url=http://127.0.0.1:1", "producer.id=7"})
  void demoExitsWithTwoWhenTheConfigurationIsItsOwn(String override) {
    assertThat(execute("demo", "--set", override)).isEqualTo(2);
    assertThat(err.toString())
        .contains("--set " + override.split("=")[0] + ": cannot be set in a demo: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "streams.token=a-token-of-some-length",
        "kafka.ssl.key.password=secret",
        "serde.settings.basic.auth.user.info=a:b"
      })
  void demoExitsWithTwoBeforeItWritesASecretWhereItCanBeRead(String override) {
    assertThat(execute("demo", "--set", override)).isEqualTo(2);
    assertThat(err.toString())
        .contains("--set " + override.split("=")[0] + ": cannot be set in a demo: it is a secret");
  }

  @Test
  void upExitsWithTwoWhereSomebodyElseListens() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      assertThat(execute("up", "--kafka-port", port)).isEqualTo(2);
      assertThat(err.toString()).contains("--kafka-port: " + port + " must be free");
      assertThat(execute("up", "--kafka-port", "0", "--registry-port", port)).isEqualTo(2);
      assertThat(err.toString()).contains("--registry-port: " + port + " must be free");
      assertThat(execute("up", "--kafka-port", "99999")).isEqualTo(2);
      assertThat(err.toString()).contains("--kafka-port: 99999 must be in [0, 65535]");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"learner", "producer", "streams"})
  void rolesExitWithTwoBeforeTheyWaitWhenThePrefixCannotBeOne(String role) {
    assertThat(execute(role, "--set", "run.topicPrefix=my run.")).isEqualTo(2);
    assertThat(err.toString()).contains("run.topicPrefix: 'my run.' may hold only");
  }

  @Test
  void pretrainExitsWithTwoWhenItIsToldTwoSourcesOfPrompts() {
    assertThat(execute("pretrain", "--task", "sort8", "--prompts", "f", "--out", "nowhere"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--task: cannot be given with --prompts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"serde.serializerClass", "serde.deserializerClass"})
  void demoExitsWithTwoBeforeItStartsAnythingWhenASerdeIsNotOnTheClassPath(
      String key, @TempDir Path directory) {
    String[] command = {
      "demo", "--work-dir", directory.toString(), "--set", key + "=no.such.Serde"
    };
    assertThat(execute(command)).isEqualTo(2);
    assertThat(err.toString()).contains("p3o: serde: 'no.such.Serde', named as ");
    assertThat(directory.resolve("broker")).doesNotExist();
  }

  @Test
  void demoExitsWithTwoWhenAnOverrideBreaksARule() {
    assertThat(execute("demo", "--set", "sampling.maxResponseTokens=0")).isEqualTo(2);
    assertThat(err.toString()).contains("p3o: sampling.maxResponseTokens: 0 must be ");
  }

  @Test
  void demoExitsWithTwoWhenAReportIsAskedForAndForbidden() {
    assertThat(execute("demo", "--report", "x", "--no-report")).isEqualTo(2);
    assertThat(err.toString()).contains("--report=DIR, --no-report are mutually exclusive");
  }

  @Test
  void demoExitsWithTwoBeforeAnythingStartsWhenTheReportWouldReplaceSomethingElse(
      @TempDir Path directory) throws Exception {
    Path page = Files.writeString(directory.resolve("report.html"), "mine");
    assertThat(execute("demo", "--report", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--report: " + page + " is not a report of p3o");
    assertThat(page).hasContent("mine");
  }

  @Test
  void demoExitsWithTwoWhenThePortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(execute("demo", "--port", port, "--no-report")).isEqualTo(2);
      assertThat(err.toString()).contains("--port: " + port + " must be free");
    }
  }

  @Test
  void demoExitsWithTwoWhenThePortIsNone() {
    assertThat(execute("demo", "--port=70000")).isEqualTo(2);
    assertThat(err.toString()).contains("--port: 70000 must be in [0, 65535]");
  }

  @Test
  void demoExitsWithTwoWhenTheWorkDirectoryIsInUse(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("something"), "");
    assertThat(execute("demo", "--work-dir", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--work-dir: " + directory + " must be empty or missing");
  }

  @Test
  void demoExitsWithTwoAndTheReasonWhenTheWorkDirectoryCannotBeMade(@TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(execute("demo", "--work-dir", file.resolve("below").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--work-dir: cannot create " + file).contains("Exception");
  }

  @Test
  void promptsWritesDifferentPromptsOnceAndRefusesAFileThatExists(@TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("prompts.jsonl");
    String[] command = {"prompts", "--task", "sort8", "--count", "50", "--out", file.toString()};
    assertThat(execute(command)).isZero();
    assertThat(Files.readAllLines(file)).hasSize(50).doesNotHaveDuplicates();
    assertThat(execute(command)).isEqualTo(2);
    assertThat(err.toString()).contains("--out: " + file + " exists already");
  }

  @Test
  void pretrainExitsWithTwoBeforeTrainingWhenItsOutputExists(@TempDir Path directory)
      throws Exception {
    Files.writeString(directory.resolve("something"), "");
    assertThat(execute("pretrain", "--out", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--out: " + directory + " must be missing or empty");
  }

  @Test
  void exitCodeIsThreeWhenFenced() {
    assertThat(ExitCode.of(new org.p3ostream.learner.commit.FencedException("x", null)))
        .isEqualTo(3);
    assertThat(ExitCode.of(new IllegalStateException("x"))).isEqualTo(1);
  }

  private int execute(String... arguments) {
    CommandLine commandLine =
        P3o.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
    return commandLine.execute(arguments);
  }
}
