package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.tests.support.TestRun.until;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/**
 * A run on two data sets through a real broker and a real registry, and its log as {@code p3o log}
 * shows it. One run for all tests; none of them changes it.
 */
@ExtendWith(LocalStackExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatasetsIT {

  private static final int STEPS = 6;
  private static final int GROUPS = 4;

  /** Said of a broker that is waited for; whether it is does not depend on what is tested here. */
  private static final String BUSY_BROKER = "(?m)^p3o: (waiting for Kafka at|the broker) .*\\R";

  private Path directory;
  private LocalStack stack;
  private TestRun run;
  private Path sums;
  private Path configuration;

  private record Output(int exitCode, String out, String err) {}

  @BeforeAll
  void trainOnTwoDataSets(LocalStack shared, @TempDir Path temporary) throws Throwable {
    stack = shared;
    directory = temporary;
    sums = directory.resolve("sums.jsonl");
    Path sorting = directory.resolve("sorting.jsonl");
    PromptFile.write(sums, SyntheticTask.CSUM8.generate(64, 5));
    PromptFile.write(sorting, SyntheticTask.SORT8.generate(10, 6));
    run =
        new TestRun(
            stack,
            directory.resolve("run"),
            "learner.steps=" + STEPS,
            "prompts.datasets=[{name: sums, file: '%s', reward: exact-match, weight: 3}, {name: sorting, file: '%s', reward: numeric}]"
                .formatted(sums, sorting));
    configuration =
        Files.writeString(directory.resolve("p3o.yaml"), ConfigPrinter.toYaml(run.config()));
    try (RunningRole learner = run.learner();
        RunningRole producer = run.producer("a")) {
      learner.join();
    }
    run.awaitMarkers();
  }

  @Test
  void windowsHoldTheDataSetsByTheirWeightsWithTheirRewards() {
    List<PromptTask> prompts = run.values(run.topics().prompts(), PromptTask.class);
    Map<Long, Map<String, Long>> byWindow =
        prompts.stream()
            .collect(
                Collectors.groupingBy(
                    PromptTask::getWindowIndex,
                    Collectors.groupingBy(
                        task -> task.getPromptId().replaceAll(":.*", "") + "/" + task.getReward(),
                        Collectors.counting())));
    assertThat(byWindow).hasSizeGreaterThanOrEqualTo(STEPS);
    assertThat(byWindow.values())
        .containsOnly(Map.of("sums/exact-match", 3L, "sorting/numeric", 1L));
  }

  @Test
  void changedFileOfAnyDataSetIsRefused() throws Exception {
    String before = Files.readString(sums);
    try {
      Files.writeString(sums, "{\"prompt\":\"1=\",\"answer\":\"1\"}\n", StandardOpenOption.APPEND);
      assertThat(run.learner().failure())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("prompts.datasets.sums.sha256: ");
    } finally {
      Files.writeString(sums, before);
    }
  }

  @Test
  void rolloutsShowsPromptsResponsesAndRewards() throws Exception {
    Output shown = log("rollouts", "--limit", "3");
    assertThat(shown.err()).isEmpty();
    assertThat(shown.exitCode()).isZero();
    assertThat(shown.out().lines().filter(line -> line.startsWith("group "))).hasSize(3);
    List<RolloutGroup> groups = run.values(run.topics().rollouts(), RolloutGroup.class);
    Map<Long, PromptTask> tasks =
        run.values(run.topics().prompts(), PromptTask.class).stream()
            .collect(Collectors.toMap(PromptTask::getGroupId, task -> task));
    List<RolloutGroup> first =
        groups.stream()
            .filter(group -> shown.out().contains("group " + group.getGroupId() + "  window"))
            .toList();
    assertThat(first).hasSize(3);
    ModelDirectory.Contents model = ModelDirectory.load(Path.of(run.config().model().directory()));
    try (Tokenizer tokenizer = Tokenizer.load(model.tokenizerJson())) {
      for (RolloutGroup group : first) {
        PromptTask task = tasks.get(group.getGroupId());
        String block = block(shown.out(), group.getGroupId());
        assertThat(block)
            .contains("prompt " + group.getPromptId(), " slot " + task.getSlot() + " ")
            .contains("prompt   " + task.getPrompt())
            .contains("answer   " + task.getReferenceAnswer() + "  (" + task.getReward() + ")")
            .contains("by producer a in ")
            .contains("trained in step " + group.getWindowIndex() + ", staleness ");
        group
            .getResponses()
            .forEach(
                response ->
                    assertThat(block)
                        .contains(
                            tokenizer.decode(
                                response.getTokens().stream()
                                    .mapToInt(Integer::intValue)
                                    .toArray())));
      }
    }
  }

  @Test
  void rolloutsFindsTheNewestTheGroupAndTheWindowAskedFor() throws Exception {
    List<JsonNode> all = json("rollouts", "--limit", "1000");
    assertThat(all).hasSize(run.values(run.topics().rollouts(), RolloutGroup.class).size());
    List<Long> order = all.stream().map(group -> group.get("timestamp").asLong()).toList();
    assertThat(order).isSorted();
    assertThat(json("rollouts", "--limit", "5")).isEqualTo(all.subList(0, 5));
    assertThat(json("rollouts", "--limit", "5", "--newest"))
        .isEqualTo(all.subList(all.size() - 5, all.size()));
    assertThat(json("rollouts", "--window", "2"))
        .hasSize(GROUPS)
        .allMatch(group -> group.get("windowIndex").asLong() == 2);
    assertThat(json("rollouts", "--group", "9", "--newest"))
        .singleElement()
        .satisfies(group -> assertThat(group.get("groupId").asLong()).isEqualTo(9));
    for (JsonNode group : all) {
      long window = group.get("windowIndex").asLong();
      assertThat(group.get("prompt").asText()).matches("\\d{8}=");
      if (window < STEPS) {
        assertThat(group.get("trainedInStep").asLong()).isEqualTo(window);
        assertThat(group.get("stalenessMax").asLong()).isEqualTo(Math.min(window, 1));
      } else {
        assertThat(group.get("trainedInStep").isNull()).isTrue(); // dispatched ahead
      }
      for (JsonNode response : group.get("responses")) {
        assertThat(response.get("text").isTextual()).isTrue();
        assertThat(response.get("meanBehaviorLogprob").asDouble()).isNegative();
      }
    }
    Output none = log("rollouts", "--window", "77");
    assertThat(none)
        .isEqualTo(
            new Output(
                0,
                "",
                "p3o: "
                    + run.topics().rollouts().name()
                    + " holds no rollout group of --window 77 yet\n"));
  }

  @Test
  void stepsShowsTheLedger() throws Exception {
    Output table = log("steps", "--limit", "1000");
    assertThat(table.exitCode()).isZero();
    assertThat(table.out().lines()).hasSize(run.ledger().size() + 2); // objective and head
    assertThat(table.out()).startsWith("algorithm p3o/step/exact");
    List<StepEvent> ledger = run.ledger();
    assertThat(json("steps", "--newest", "--limit", "1"))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.get("weightsSha256").asText())
                    .isEqualTo(ledger.get(ledger.size() - 1).getWeightsSha256()));
  }

  @Test
  void rolloutsShowsTokenIdsWhereTheTokenizerIsAnother() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    Path file = other.resolve("tokenizer.json");
    NanoModel.copyTokenizer(file);
    Files.writeString(file, "\n", StandardOpenOption.APPEND);
    Output shown = log("rollouts", "--limit", "1", "--set", "model.directory=" + other);
    assertThat(shown.exitCode()).isZero();
    assertThat(shown.out())
        .contains("token ids instead of texts: model.directory=" + other + " has tokenizer ")
        .containsPattern("\\[0\\] .* \\[\\d+(, \\d+)*\\]");
  }

  @Test
  void rolloutsNamesATopicThatIsNotThere() throws Exception {
    Output shown = log("rollouts", "--set", "run.topicPrefix=nobody.");
    assertThat(shown.exitCode()).isEqualTo(1);
    assertThat(shown.out()).isEmpty();
    assertThat(shown.err())
        .contains("p3o: there is no topic nobody.rollouts at kafka.bootstrap.servers=")
        .contains("no run with run.topicPrefix=nobody. has begun there");
  }

  /** What an experiment does to runs that are over. */
  @Test
  void aTopicThatWasDeletedIsToldFromARunThatHasNotBegun(@TempDir Path scratch) throws Throwable {
    TestRun another = new TestRun(stack, scratch, "learner.steps=3");
    another.learner("learner.steps=0").join(); // opens the run
    Path config =
        Files.writeString(scratch.resolve("p3o.yaml"), ConfigPrinter.toYaml(another.config()));
    String snapshots = another.topics().snapshots().name();
    try (RoleClients clients = new RoleClients(another.config())) {
      clients.admin().deleteTopics(List.of(snapshots)).all().get();
      TestRun.until(
          "it is gone", () -> !clients.admin().listTopics().names().get().contains(snapshots));
    }
    String cause =
        "the run with run.topicPrefix=%s has a ledger, so it was deleted; an experiment keeps all topics with --keep all only"
            .formatted(another.config().run().topicPrefix());
    for (Output shown :
        List.of(execute(config, "snapshots"), command("replay", "--config", config.toString()))) {
      assertThat(shown.exitCode()).isEqualTo(1);
      assertThat(shown.err())
          .contains("p3o: there is no topic " + snapshots + " at kafka.bootstrap.servers=")
          .contains(cause);
    }
  }

  @Test
  void rolloutsPassesOverWhatIsNoGroupAndFollowsUntilNobodyReads(@TempDir Path scratch)
      throws Throwable {
    TestRun another = new TestRun(stack, scratch, "learner.steps=3");
    another.learner("learner.steps=0").join(); // opens the run: topics and prompts, no rollouts
    Path config =
        Files.writeString(scratch.resolve("p3o.yaml"), ConfigPrinter.toYaml(another.config()));
    assertThat(execute(config, "rollouts").err())
        .isEqualTo("p3o: " + another.topics().rollouts().name() + " holds no rollout group yet\n");
    another.publish(another.topics().rollouts(), 2, null, "junk".getBytes(StandardCharsets.UTF_8));

    Cuttable followed = new Cuttable();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () ->
                P3o.commandLine()
                    .setOut(new PrintWriter(followed))
                    .setErr(new PrintWriter(new StringWriter()))
                    .execute("log", "rollouts", "-f", "--config", config.toString()),
            DatasetsIT::onItsOwnThread);
    try (RunningRole learner = another.learner();
        RunningRole producer = another.producer("a")) {
      learner.join();
    }
    int groups = another.values(another.topics().rollouts(), RolloutGroup.class).size();
    until("all groups to be shown", () -> followed.groups() == groups);
    followed.cut.set(true);
    assertThat(exitCode.get(60, TimeUnit.SECONDS)).isEqualTo(1);

    for (String order : new String[] {"--newest", "--json"}) {
      Output shown = execute(config, "rollouts", "--limit", "1000", order);
      assertThat(shown.exitCode()).isEqualTo(1);
      assertThat(shown.err())
          .startsWith(
              "p3o: "
                  + another.topics().rollouts().name()
                  + "-2@0 is passed over: UNDECODABLE: no wire format: 4 bytes")
          .hasLineCount(1);
      assertThat(shown.out().lines().filter(line -> line.matches("group .*|\\{.*\\}")))
          .hasSize(groups);
    }
  }

  /**
   * In the common pool, on two processors, it would take the only thread that HTTP clients have.
   */
  private static void onItsOwnThread(Runnable task) {
    Thread thread = new Thread(task, "follower");
    thread.setDaemon(true);
    thread.start();
  }

  private List<JsonNode> json(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--json");
    Output shown = log(all.toArray(String[]::new));
    assertThat(shown.err()).isEmpty();
    List<JsonNode> lines = new ArrayList<>();
    for (String line : shown.out().lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  private Output log(String... arguments) {
    return execute(configuration, arguments);
  }

  private static Output execute(Path configuration, String... arguments) {
    List<String> command = new ArrayList<>(List.of("log"));
    command.addAll(Arrays.asList(arguments));
    command.addAll(List.of("--config", configuration.toString()));
    return command(command.toArray(String[]::new));
  }

  private static Output command(String... command) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        P3o.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(command);
    return new Output(exitCode, out.toString(), err.toString().replaceAll(BUSY_BROKER, ""));
  }

  /** What is shown of one group. */
  private static String block(String shown, long groupId) {
    String from = shown.substring(shown.indexOf("group " + groupId + "  window"));
    int end = from.indexOf("\n\n");
    return end < 0 ? from : from.substring(0, end);
  }

  /** A pipe that its reader can leave. */
  private static final class Cuttable extends Writer {
    private final StringBuffer written = new StringBuffer();
    private final AtomicBoolean cut = new AtomicBoolean();

    long groups() {
      return written.toString().lines().filter(line -> line.startsWith("group ")).count();
    }

    @Override
    public void write(char[] characters, int from, int length) {
      written.append(characters, from, length);
    }

    @Override
    public void flush() throws IOException {
      if (cut.get()) {
        throw new IOException("broken pipe");
      }
    }

    @Override
    public void close() {
      // nothing is held
    }
  }
}
