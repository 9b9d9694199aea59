package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.SampleRatios;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.streams.lookup.NoRatiosException;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Ratios of tokens computed again out of a real log, against what the learner reported. */
@ExtendWith(LocalStackExtension.class)
class StepRatiosIT {

  /** With an exact KL the learner takes log-probs out of whole distributions, in float64. */
  private static final double FLOAT32 = 1e-6;

  @Test
  void ratiosOfEveryStepHaveTheStatisticsThatTheLearnerReported(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    assertReported(run(stack, directory));
  }

  @Test
  void ratiosAreTakenAsTheRunTookThem(LocalStack stack, @TempDir Path directory) throws Throwable {
    assertReported(
        run(
            stack,
            directory,
            "ratio.policyTemperature=sampling",
            "sampling.temperature=0.8",
            "sampling.topK=6",
            "sampling.topP=0.9"));
  }

  @Test
  void whatIsMissingIsNamed(LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = run(stack, directory);
    try (RoleClients clients = new RoleClients(run.config());
        SampleRatios ratios = new SampleRatios(run.config(), clients, Map.of())) {
      assertThatThrownBy(() -> ratios.of(99))
          .isInstanceOf(NoRatiosException.class)
          .hasMessage(run.topics().steps().name() + " trained no step 99");
      TopicPartition snapshots = new TopicPartition(run.topics().snapshots().name(), 0);
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
        admin.deleteRecords(Map.of(snapshots, RecordsToDelete.beforeOffset(-1))).all().get();
      }
      assertThatThrownBy(() -> ratios.of(5))
          .isInstanceOf(NoRatiosException.class)
          .hasMessageContaining("version 5");
    }
    P3oConfig elsewhere = run.config("model.directory=" + directory.resolve("nowhere"));
    try (RoleClients clients = new RoleClients(elsewhere);
        SampleRatios other = new SampleRatios(elsewhere, clients, Map.of())) {
      assertThatThrownBy(() -> other.of(5))
          .isInstanceOf(NoRatiosException.class)
          .hasMessageContaining("model.directory: ")
          .hasMessageContaining("nowhere");
    }
  }

  @Test
  void aModelThatIsPutRightIsReadAgain(LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = run(stack, directory);
    Path model = Path.of(run.config().model().directory());
    Path copy = Files.createDirectory(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(model)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    Path file = copy.resolve("config.json");
    String right = Files.readString(file);
    P3oConfig config = run.config("model.directory=" + copy);
    try (RoleClients clients = new RoleClients(config);
        SampleRatios ratios = new SampleRatios(config, clients, Map.of())) {
      Files.writeString(
          file, right.replaceFirst("\"rope_theta\" *: *[0-9.]+", "\"rope_theta\": 5.0"));
      assertThatThrownBy(() -> ratios.of(5))
          .isInstanceOf(NoRatiosException.class)
          .hasMessageContaining("is not the model of this run");
      Files.writeString(
          file, right.replaceFirst("\"hidden_size\" *: *[0-9]+", "\"hidden_size\": 1000000"));
      assertThatThrownBy(() -> ratios.of(5))
          .isInstanceOf(NoRatiosException.class)
          .hasMessageContaining("model.directory: ");
      Files.writeString(file, right);
      assertThat(ratios.of(5)).isNotEmpty();
    }
  }

  private static TestRun run(LocalStack stack, Path directory, String... settings)
      throws Throwable {
    List<String> all =
        new ArrayList<>(
            List.of(
                "learner.steps=8",
                "dispatch.maxStaleness=2",
                "dispatch.lockstep=true",
                "optimizer.learningRate=0.01",
                "optimizer.warmupFraction=0",
                "prompts.reward=regex",
                "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory)));
    all.addAll(List.of(settings));
    TestRun run = new TestRun(stack, directory, all.toArray(String[]::new));
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
      producer.stop();
    }
    run.awaitMarkers();
    return run;
  }

  private static void assertReported(TestRun run) throws Exception {
    boolean moved = false;
    try (RoleClients clients = new RoleClients(run.config());
        SampleRatios source = new SampleRatios(run.config(), clients, Map.of())) {
      for (StepEvent step : run.steps()) {
        Map<Long, List<double[]>> byGroup = source.of(step.getStep());
        assertThat(byGroup.keySet())
            .containsExactlyInAnyOrderElementsOf(
                step.getWindow().stream().map(WindowEntry::getGroupId).toList());
        double[] ratios = // [N]
            byGroup.values().stream()
                .flatMap(List::stream)
                .flatMapToDouble(DoubleStream::of)
                .filter(ratio -> !Double.isNaN(ratio))
                .toArray();
        StepMetrics reported = step.getMetrics();
        double sum = DoubleStream.of(ratios).sum();
        double squares = DoubleStream.of(ratios).map(ratio -> ratio * ratio).sum();
        assertThat((long) ratios.length).isEqualTo(reported.getValidTokens());
        assertThat(sum / ratios.length).isCloseTo(reported.getRatioMean(), within(FLOAT32));
        assertThat(DoubleStream.of(ratios).max().orElseThrow())
            .isCloseTo(reported.getRatioMax(), within(FLOAT32));
        assertThat(sum * sum / (ratios.length * (squares + 1e-8)))
            .isCloseTo(reported.getNormalizedEss(), within(FLOAT32));
        moved |= reported.getNormalizedEss() < 0.999;
      }
    }
    assertThat(moved).as("some step was off-policy").isTrue();
  }
}
