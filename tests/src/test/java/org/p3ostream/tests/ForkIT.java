package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.Fork;
import org.p3ostream.learner.runtime.ForkReport;
import org.p3ostream.learner.runtime.ForkSource;
import org.p3ostream.learner.runtime.Learner;
import org.p3ostream.learner.runtime.Replay;
import org.p3ostream.learner.runtime.ReplayReport;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Runs that leave another one in the middle, on a real log. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class ForkIT {
  private static final int STEPS = 8;
  private static final long AT = 3;

  /** Nothing is different: so nothing may be. */
  @Test
  void forkWithoutAChangeGivesTheWeightsOfItsRun(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    for (long at : new long[] {AT, -1}) {
      Forked fork = new Forked(run, "same" + at, at);
      ForkReport report = fork.train(Long.MAX_VALUE);
      assertThat(report.changes()).isEmpty();
      assertThat(report.lastStep()).isEqualTo(STEPS - 1).isEqualTo(report.sourceLastStep());
      assertThat(report.offPolicyFrom()).as("weights that both share").isEmpty();
      assertThat(digests(fork.steps()))
          .isEqualTo(digests(run.steps()).subList((int) at + 1, STEPS));
      StepEvent genesis = fork.ledger().get(0);
      assertThat(genesis.getKind()).isEqualTo(StepKind.GENESIS);
      assertThat(genesis.getStep()).isEqualTo(at);
      assertThat(genesis.getPolicyVersionAfter()).isEqualTo(at + 1);
      assertThat(genesis.getForkOf().getRunId()).isEqualTo("test");
      assertThat(genesis.getForkOf().getStep()).isEqualTo(at);
    }
  }

  @Test
  void forkTrainsTheSameWindowsUnderAnotherObjectiveAndGoesOnWhereItWasStopped(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory);
    String[] changes = {"algorithm.name=grpo", "optimizer.learningRate=0.01"};
    Forked twin = new Forked(run, "twin", AT, changes);
    ForkReport report = twin.train(Long.MAX_VALUE);
    assertThat(report.changes())
        .contains("algorithm.name: p3o -> grpo", "optimizer.learningRate: 0.001 -> 0.01");
    assertThat(twin.steps())
        .extracting(StepEvent::getWindow)
        .isEqualTo(
            run.steps().subList((int) AT + 1, STEPS).stream().map(StepEvent::getWindow).toList());
    assertThat(twin.steps()).extracting(StepEvent::getAlgorithm).containsOnly("grpo/0.2");
    assertThat(digests(twin.steps())).doesNotContainAnyElementsOf(digests(run.steps()));

    Forked fork = new Forked(run, "fork", AT, changes);
    fork.train(1);
    fork.train(2); // from its checkpoint
    deleteAll(fork.checkpoints());
    run.deleteCheckpoints();
    ForkReport last = fork.train(Long.MAX_VALUE); // from the other run's GENESIS and its own
    assertThat(digests(fork.steps())).isEqualTo(digests(twin.steps()));
    assertThat(last.weightsSha256()).isEqualTo(report.weightsSha256());
    assertThat(fork.ledger()).extracting(StepEvent::getLearnerEpoch).contains(1L, 2L, 3L);

    ReplayReport replayed = fork.replay();
    assertThat(replayed.isOk()).as("%s", replayed).isTrue();
    assertThat(replayed.identical()).isEqualTo(STEPS - 1 - AT);
  }

  @Test
  void whatCannotBeForkedOrContinuedIsRefused(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    Forked fork = new Forked(run, "fork", AT);
    fork.train(1);
    refused(() -> fork.train(1, "optimizer.learningRate=0.5"), "this fork was made with");
    refused(() -> new Forked(run, "fork", AT + 1).train(1), "after step 3", "after step 4");
    refused(() -> new Forked(run, "other", STEPS).train(1), "--at: 8", "steps 0 to 7");
    refused(() -> new Forked(run, "other", AT, "run.seed=7").train(1), "run.seed: 1 -> 7");
    refused(
        () -> new Forked(run, "own", AT, "run.topicPrefix=" + run.topics().prefix()).train(1),
        "--prefix");
    P3oConfig asALearner = fork.with("learner.steps=0");
    try (RoleClients clients = new RoleClients(asALearner)) {
      LearnerSettings settings = asALearner.learnerSettings(Map.of());
      Learner learner = new Learner(settings, clients.learner(settings), Clock.systemUTC());
      refused(learner::run, "fork of run 'test' after step 3");
    }
  }

  @Test
  void commandForksUnderAnotherObjectiveThanTheFileSays(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory);
    Path config = directory.resolve("run.yaml");
    Files.writeString(
        config,
        ConfigPrinter.toYaml(
            run.config("algorithm.klMode=exact", "learner.transactionalId=its-own")));
    String prefix = run.topics().prefix() + "cli.";
    StringWriter output = new StringWriter();
    int exitCode =
        P3o.commandLine()
            .setOut(new PrintWriter(output))
            .execute(
                "fork",
                "--config",
                config.toString(),
                "--at",
                "3",
                "--prefix",
                prefix,
                "--algorithm",
                "grpo",
                "--set",
                "algorithm.clipLow=0.1",
                "--steps",
                "2",
                "--json");
    assertThat(exitCode).isZero();
    JsonNode json = new ObjectMapper().readTree(output.toString());
    assertThat(json.get("runId").asText()).isEqualTo("test-fork-3");
    assertThat(json.get("topicPrefix").asText()).isEqualTo(prefix);
    assertThat(json.get("lastStep").asLong()).isEqualTo(5);
    assertThat(json.get("offPolicyFrom").asLong()).isEqualTo(AT + 3);
    assertThat(json.get("changes").toString()).contains("algorithm.clipLow: none -> 0.1");
    assertThat(directory.resolve("checkpoints-" + prefix.substring(0, prefix.length() - 1)))
        .isDirectory();
  }

  private static void refused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable action, String... parts) {
    assertThatThrownBy(action)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(parts);
  }

  private static TestRun finished(LocalStack stack, Path directory) throws Throwable {
    TestRun run =
        new TestRun(stack, directory, "learner.checkpointEvery=3", "learner.steps=" + STEPS);
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }
    run.awaitMarkers();
    return run;
  }

  private static List<String> digests(List<StepEvent> steps) {
    return steps.stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static void deleteAll(Path directory) throws Exception {
    try (var all = Files.walk(directory)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** A fork of a run, as often as it is started. */
  private static final class Forked {
    private final TestRun run;
    private final long at;
    private final List<String> overrides;
    private final P3oConfig config;

    Forked(TestRun run, String name, long at, String... changes) {
      this.run = run;
      this.at = at;
      this.overrides =
          new ArrayList<>(
              List.of(
                  "run.id=" + name,
                  "run.topicPrefix=" + run.topics().prefix() + name + ".",
                  "learner.checkpointDirectory=" + run.directory().resolve("of-" + name)));
      overrides.addAll(List.of(changes));
      this.config = run.config(overrides.toArray(String[]::new));
    }

    P3oConfig with(String... further) {
      List<String> all = new ArrayList<>(overrides);
      all.addAll(List.of(further));
      return run.config(all.toArray(String[]::new));
    }

    ForkReport train(long mostSteps, String... further) throws Exception {
      P3oConfig now = with(further);
      try (RoleClients clients = new RoleClients(now)) {
        LearnerSettings settings = now.learnerSettings(Map.of());
        ForkSource source =
            new ForkSource(
                "test", run.topics().prefix(), run.directory().resolve("checkpoints"), at);
        return new Fork(settings, source, mostSteps, clients.learner(settings), Clock.systemUTC())
            .run();
      }
    }

    ReplayReport replay() throws Exception {
      try (RoleClients clients = new RoleClients(config)) {
        return new Replay(config.learnerSettings(Map.of()), clients.logReaders())
            .run(null, null, step -> {});
      }
    }

    Path checkpoints() {
      return Path.of(config.learner().checkpointDirectory());
    }

    List<StepEvent> ledger() {
      return run.values(new TopicCatalogue(config.run().topicPrefix()).steps(), StepEvent.class);
    }

    List<StepEvent> steps() {
      return ledger().stream().filter(event -> event.getKind() == StepKind.STEP).toList();
    }
  }
}
