package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.runtime.Difference;
import org.p3ostream.learner.runtime.Replay;
import org.p3ostream.learner.runtime.ReplayReport;
import org.p3ostream.learner.runtime.ReplayedStep;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.StoredLog;
import org.p3ostream.tests.support.TestRun;

/** Steps executed again out of a real log, whole and damaged. */
@ExtendWith(LocalStackExtension.class)
class ReplayIT {

  @Test
  void fiftyStepsAreIdenticalWhileTheRunGoesOn(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.checkpointEvery=10");
    try (RunningRole producer = run.producer("a");
        RunningRole learner = run.learner("learner.steps=100000")) {
      run.awaitSteps(50);
      List<ReplayedStep> told = new ArrayList<>();
      try (RoleClients clients = new RoleClients(run.config())) {
        Replay replay = new Replay(run.config().learnerSettings(Map.of()), clients.logReaders());
        ReplayReport report = replay.run(0L, 49L, told::add);
        assertThat(report.start()).isEqualTo("GENESIS");
        assertThat(report.executedBefore()).isZero();
        assertThat(report.identical()).isEqualTo(50);
        assertThat(report.isOk()).as("%s", report).isTrue();
        assertThat(report.steps()).isEqualTo(told);
      }
      assertThat(told)
          .extracting(ReplayedStep::weightsSha256)
          .isEqualTo(run.steps().stream().limit(50).map(StepEvent::getWeightsSha256).toList());
      int steps = run.steps().size();
      run.awaitSteps(steps + 1); // nobody was fenced
      learner.stop();
    }
  }

  @Test
  void replayStartsAtTheNewestCheckpointBeforeAndNamesADamagedOne(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory, 7);
    assertThat(replay(run, 6L, null).start()).isEqualTo("the checkpoint after step 5");
    assertThat(replay(run, 5L, 5L).start()).isEqualTo("the checkpoint after step 3");
    assertThat(replay(run, 5L, 5L).executedBefore()).isEqualTo(1);

    Path damaged;
    try (var all = Files.list(directory.resolve("checkpoints"))) {
      damaged = all.filter(path -> path.toString().contains("step-00000006")).findFirst().get();
    }
    flipBit(damaged.resolve("second_moment.safetensors"));
    ReplayReport report = replay(run, 6L, null);
    assertThat(report.start()).isEqualTo("the checkpoint after step 3");
    assertThat(report.identical()).isEqualTo(1);
    assertThat(report.isOk()).isFalse();
    assertThat(report.passedOver()).hasSize(1);
    assertThat(report.passedOver().get(0).path()).isEqualTo(damaged);
    assertThat(report.passedOver().get(0).reason()).contains("second_moment.safetensors");

    StringWriter output = new StringWriter();
    assertThat(execute(run, output, "--from", "6")).isEqualTo(1);
    assertThat(output.toString()).contains(damaged + " IS DAMAGED", "identical        1 of 1");
  }

  @Test
  void whatDiffersIsNamedWithBothValues(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = finished(stack, directory, 5);
    CheckpointStore own = store(directory.resolve("checkpoints"));
    Checkpoint checkpoint =
        own.usable("test").stream().filter(c -> c.step() == 3).findFirst().get();
    OptimizerState state = own.load(checkpoint);
    Arrays.fill(state.firstMoment(), 1e-3f);
    Path others = directory.resolve("others");
    store(others).save("test", 3, checkpoint.eventHash(), checkpoint.policyVersion(), state);
    ReplayReport report = replay(run.config("learner.checkpointDirectory=" + others), 4L, 4L);
    assertThat(report.isOk()).isFalse();
    String recorded = run.steps().get(4).getWeightsSha256();
    String found = report.steps().get(0).weightsSha256();
    assertThat(found).isNotEqualTo(recorded);
    assertThat(report.steps().get(0).differences())
        .containsExactly(new Difference("weightsSha256", recorded, found));
  }

  @Test
  void flippedBitsInEventsAndSnapshotsAreNamedByTheirPlace(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory, 3);
    TopicSpec steps = run.topics().steps();
    long event = offsetOf(run, steps, 1);
    StoredLog.flipBit(steps.name(), event);
    assertThatThrownBy(() -> replay(run, null, null))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(steps.name() + "-0")
        .hasMessageContaining("offset " + event);
    StoredLog.flipBit(steps.name(), event);
    assertThat(replay(run, null, null).isOk()).isTrue();

    TopicSpec snapshots = run.topics().snapshots();
    long chunk = offsetOf(run, snapshots, 2);
    StoredLog.flipBit(snapshots.name(), chunk);
    ReplayReport report = replay(run, null, null);
    assertThat(report.isOk()).isFalse();
    assertThat(report.failure()).contains(snapshots.name() + "-0", "offset " + chunk);
    StoredLog.flipBit(snapshots.name(), chunk);
  }

  /** The bytes are whole, what they say is not. */
  @Test
  void eventThatWasForgedIsNamed(LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory, 2);
    StepEvent last = run.steps().get(1);
    StepEvent forged =
        StepEvent.newBuilder(last)
            .setStep(2)
            .setPolicyVersionBefore(2)
            .setPolicyVersionAfter(3)
            .build();
    TopicSpec steps = run.topics().steps();
    try (var codec = run.codec()) {
      run.publish(steps, 0, RecordKeys.of(2), codec.encode(steps.name(), forged));
    }
    assertThatThrownBy(() -> replay(run, 0L, 1L))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(steps.name() + "-0@")
        .hasMessageContaining("names predecessor '" + last.getPreviousEventHash());
  }

  @Test
  void commandTellsScriptsEveryStepAndRefusesStepsThereAreNot(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = finished(stack, directory, 3);
    StringWriter output = new StringWriter();
    assertThat(execute(run, output, "--from", "1", "--to", "2", "--json")).isZero();
    JsonNode json = new ObjectMapper().readTree(output.toString());
    assertThat(json.get("ok").asBoolean()).isTrue();
    assertThat(json.get("identical").asLong()).isEqualTo(2);
    assertThat(json.get("steps").get(1).get("weightsSha256").asText())
        .isEqualTo(run.steps().get(2).getWeightsSha256());
    for (Long[] range : new Long[][] {{3L, null}, {-1L, null}, {2L, 1L}, {0L, 3L}}) {
      assertThatThrownBy(() -> replay(run, range[0], range[1]))
          .isInstanceOf(ConfigurationException.class);
    }
  }

  private static TestRun finished(LocalStack stack, Path directory, int steps) throws Throwable {
    TestRun run =
        new TestRun(stack, directory, "learner.checkpointEvery=2", "learner.steps=" + steps);
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }
    run.awaitMarkers();
    return run;
  }

  private static ReplayReport replay(TestRun run, @Nullable Long from, @Nullable Long to)
      throws Exception {
    return replay(run.config(), from, to);
  }

  private static ReplayReport replay(P3oConfig config, @Nullable Long from, @Nullable Long to)
      throws Exception {
    try (RoleClients clients = new RoleClients(config)) {
      return new Replay(config.learnerSettings(Map.of()), clients.logReaders())
          .run(from, to, step -> {});
    }
  }

  private static int execute(TestRun run, StringWriter output, String... arguments)
      throws IOException {
    Path config = run.directory().resolve("run.yaml");
    Files.writeString(config, ConfigPrinter.toYaml(run.config()));
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return P3o.commandLine().setOut(new PrintWriter(output)).execute(all.toArray(String[]::new));
  }

  private static CheckpointStore store(Path directory) {
    return new CheckpointStore(directory, ParameterLayout.of(NanoModel.config()), 9);
  }

  private static long offsetOf(TestRun run, TopicSpec topic, long key) {
    return run.records(topic).stream()
        .filter(record -> RecordKeys.number(record.key()).getAsLong() == key)
        .mapToLong(ConsumerRecord::offset)
        .findFirst()
        .getAsLong();
  }

  private static void flipBit(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
  }
}
