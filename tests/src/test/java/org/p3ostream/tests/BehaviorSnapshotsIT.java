package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RebuiltStep;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** What sampled a token, computed again from the log: through a real broker and the real model. */
@ExtendWith(LocalStackExtension.class)
class BehaviorSnapshotsIT {

  /** As in the learner: all responses of the window fit one micro-batch. */
  private static final int WINDOW_ROWS = 16;

  @Test
  void figuresOfAWholeRunAreThoseOfTheLog(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=10",
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=1",
            "dispatch.lockstep=true",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "learner.snapshotCache=2",
            "prompts.reward=regex",
            "prompts.file=" + easyPrompts(directory),
            "audit.behaviorLogprobs=true");
    assertRunIsThatOfTheLog(run, false);
    deleteCheckpoints(run);
    run.learner().join(); // executes all steps again, snapshots out of the log, digests compared
  }

  @Test
  void figuresOfTruncatedSamplingAreThoseOfTheLog(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=6",
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=2",
            "dispatch.lockstep=true",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "prompts.reward=regex",
            "prompts.file=" + easyPrompts(directory),
            "ratio.policyTemperature=sampling",
            "sampling.temperature=0.8",
            "sampling.topK=6",
            "sampling.topP=0.9",
            "audit.behaviorLogprobs=true");
    assertRunIsThatOfTheLog(run, true);
    for (StepEvent step : run.steps()) {
      assertThat(step.getMetrics().getKeptSetMismatches()).isZero();
    }
    // window 0 is on-policy: the same kept tokens on both sides
    StepMetrics onPolicy = run.steps().get(0).getMetrics();
    assertThat(onPolicy.getNormalizedEss()).isCloseTo(1, within(1e-8));
    assertThat(onPolicy.getRatioMax()).isCloseTo(1, within(1e-5));
    assertThat(onPolicy.getBehaviorKlExactMax()).isCloseTo(0, within(1e-9));
  }

  /** About half of what an untrained model says is right, so that there is something to learn. */
  static Path easyPrompts(Path directory) throws Exception {
    Path file = directory.resolve("easy.jsonl");
    PromptFile.write(
        file,
        SyntheticTask.CSUM8.generate(64, 5).stream()
            .map(example -> new PromptExample(example.prompt(), "[0-4].*"))
            .toList());
    return file;
  }

  static void assertRunIsThatOfTheLog(TestRun run, boolean samplingTemperature) throws Throwable {
    assertRunIsThatOfTheLog(run, samplingTemperature, clients -> clients);
  }

  static void assertRunIsThatOfTheLog(
      TestRun run, boolean samplingTemperature, UnaryOperator<ProducerClients> clients)
      throws Throwable {
    try (RunningRole producer = run.producer("a", clients)) {
      run.learner().join();
    }
    Map<Long, float[]> versions = RebuiltStep.weights(run);
    List<StepEvent> steps = run.steps();
    double sameShapes = 0;
    double otherShapes = 0;
    double kl = 0;
    double gap = 0;
    for (StepEvent step : steps) {
      StepMetrics metrics = step.getMetrics();
      List<RolloutGroup> window = RebuiltStep.window(run, step);
      RebuiltStep.Figures same =
          RebuiltStep.of(step, window, versions, WINDOW_ROWS, samplingTemperature);
      RebuiltStep.Figures other = RebuiltStep.of(step, window, versions, 1, samplingTemperature);
      assertThat(metrics.getMicroBatches()).isEqualTo(1);
      assertThat(metrics.getValidTokens()).isEqualTo(same.tokens());
      assertThat(metrics.getKlMode()).isEqualTo("exact");
      assertThat(metrics.getEssScope()).isEqualTo("step");
      assertThat(metrics.getPolicyTemperature())
          .isEqualTo(samplingTemperature ? "sampling" : "model");
      assertThat(metrics.getBehaviorLogprobGaps())
          .extracting(BehaviorLogprobGap::getProducerId)
          .containsExactly("a");
      sameShapes = Math.max(sameShapes, Math.abs(metrics.getNormalizedEss() - same.ess()));
      otherShapes = Math.max(otherShapes, Math.abs(metrics.getNormalizedEss() - other.ess()));
      kl = Math.max(kl, Math.abs(metrics.getBehaviorKlExactMean() - same.klMean()));
      kl = Math.max(kl, Math.abs(metrics.getBehaviorKlExactMax() - same.klMax()));
      gap = Math.max(gap, metrics.getBehaviorLogprobGaps().get(0).getMax());
    }
    System.out.printf(
        "%d steps, ess %s..%s, exact kl mean %s: |ess - rebuilt| %.2e with the learner's shapes,"
            + " %.2e row by row; |kl - rebuilt| %.2e; largest audit gap %.2e nats%n",
        steps.size(),
        steps.stream().mapToDouble(s -> s.getMetrics().getNormalizedEss()).min().orElseThrow(),
        steps.stream().mapToDouble(s -> s.getMetrics().getNormalizedEss()).max().orElseThrow(),
        steps.get(steps.size() - 1).getMetrics().getBehaviorKlExactMean(),
        sameShapes,
        otherShapes,
        kl,
        gap);
    assertThat(steps.get(steps.size() - 1).getMetrics().getBehaviorKlExactMean())
        .isGreaterThan(1e-4);
    assertThat(sameShapes).isLessThan(1e-9);
    assertThat(otherShapes).isLessThan(1e-6);
    assertThat(kl).isLessThan(1e-9);
    assertThat(gap).isLessThan(1e-5);
  }

  /** It samples at 0.6, as asked, and records what the model gives at 1. */
  @Test
  void auditNamesAProducerThatRecordsAnotherTemperatureThanItSamplesAt(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "audit.behaviorLogprobs=true",
            "sampling.temperature=0.6",
            "learner.steps=6"); // the honest one may have answered the first four windows
    try (RunningRole producer = run.producer("honest")) {
      run.learner("learner.steps=2").join();
    }
    Set<Long> answered = new HashSet<>();
    run.values(run.topics().rollouts(), RolloutGroup.class)
        .forEach(group -> answered.add(group.getGroupId()));
    try (RunningRole learner = run.learner();
        WrongProducer wrong = new WrongProducer(run)) {
      TestRun.until(
          "6 steps",
          () -> {
            wrong.answer(answered);
            return learner.hasEnded();
          });
      learner.join();
    }
    for (StepEvent step : run.steps()) {
      for (BehaviorLogprobGap gap : step.getMetrics().getBehaviorLogprobGaps()) {
        System.out.println("step " + step.getStep() + ": " + gap);
        if (gap.getProducerId().equals("honest")) {
          assertThat(gap.getMax()).isLessThan(1e-5);
        } else {
          assertThat(gap.getMean()).isGreaterThan(10 * 1e-3); // ten times the learner's bound
        }
      }
    }
    assertThat(run.steps())
        .flatExtracting(step -> step.getMetrics().getBehaviorLogprobGaps())
        .extracting(gap -> ((BehaviorLogprobGap) gap).getProducerId())
        .contains("honest", "wrong");
  }

  /** No step is trained with another KL in its place, and a restart cannot be talked into it. */
  @Test
  void aMissingSnapshotRejectsTheGroupsAndStopsARecovery(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=1",
            "window.maxTopUps=1",
            "learner.steps=3");
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
      TestRun.until( // that of window 4 has been sampled by the newest version: the producer has it
          "windows 0 to 4 are there",
          () ->
              run.values(run.topics().rollouts(), RolloutGroup.class).size()
                  == 5 * run.config().dispatch().groupsPerWindow());
      trimSnapshots(run);
      assertThat(run.learner("learner.steps=9").failure())
          .hasMessageContaining("every group of 3 windows in a row was given up, 3 to 5")
          .hasMessageContaining("BEHAVIOUR_SNAPSHOT_MISSING")
          .hasMessageContaining("version ");
    }
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class))
        .isNotEmpty()
        .allSatisfy(
            letter ->
                assertThat(letter.getReason())
                    .isEqualTo(RejectionReason.BEHAVIOUR_SNAPSHOT_MISSING));
    assertThat(run.steps()).hasSize(3);
    deleteCheckpoints(run);
    assertThat(run.learner("learner.steps=9").failure())
        .hasMessageContaining("was trained but breaks the contract")
        .hasMessageContaining("BEHAVIOUR_SNAPSHOT_MISSING")
        .hasMessageContaining("version 1 cannot be computed with again");
  }

  private static void trimSnapshots(TestRun run) throws Exception {
    TopicPartition partition = new TopicPartition(run.topics().snapshots().name(), 0);
    try (RoleClients clients = new RoleClients(run.config())) {
      clients
          .admin()
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1)))
          .all()
          .get();
    }
  }

  static void deleteCheckpoints(TestRun run) throws Exception {
    try (Stream<Path> entries = Files.walk(run.directory().resolve("checkpoints"))) {
      for (Path entry : entries.sorted(Collections.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  /** Samples as it is asked to and records log-probs of the model at temperature 1. */
  private static final class WrongProducer implements AutoCloseable {
    private final TestRun run;
    private final RecordCodec codec;
    private final CausalLm model;
    private final Sampler sampler;
    private final Tokenizer tokenizer;

    WrongProducer(TestRun run) {
      this.run = run;
      this.codec = run.codec();
      TorchRuntime.prepareThread();
      this.model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
      this.sampler = new Sampler(model);
      this.tokenizer = Tokenizer.load(run.directory().resolve("tokenizer.json"));
    }

    /** Publishes a group for every prompt that has none yet. */
    void answer(Set<Long> answered) {
      List<PromptTask> open =
          run.values(run.topics().prompts(), PromptTask.class).stream()
              .filter(task -> answered.add(task.getGroupId()))
              .toList();
      if (open.isEmpty()) {
        return;
      }
      Map<Long, float[]> versions = RebuiltStep.weights(run);
      for (PromptTask task : open) {
        publish(group(task, versions.get(task.getMinPolicyVersion())));
      }
    }

    private void publish(RolloutGroup group) {
      TopicSpec rollouts = run.topics().rollouts();
      run.publish(
          rollouts,
          rollouts.partitionOf(group.getGroupId()),
          RecordKeys.of(group.getGroupId()),
          codec.encode(rollouts.name(), group));
    }

    private RolloutGroup group(PromptTask task, float[] weights) {
      TorchRuntime.prepareThread();
      int[] prompt = tokenizer.encode(task.getPrompt());
      double temperature = task.getSampling().getTemperature();
      SamplingParameters parameters =
          new SamplingParameters(temperature, 0, 1, 0, task.getSampling().getMaxResponseTokens());
      List<Response> responses = new ArrayList<>();
      try (NDScope scope = new NDScope();
          NDArray own = model.parameters(weights)) {
        scope.suppressNotUsedWarning();
        for (SampledResponse sample :
            sampler.sample(own, prompt, task.getSamplesPerGroup(), parameters, task.getSeed())) {
          responses.add(response(task, prompt, own, sample));
        }
      }
      return RolloutGroup.newBuilder()
          .setRunId(task.getRunId())
          .setGroupId(task.getGroupId())
          .setWindowIndex(task.getWindowIndex())
          .setAttempt(task.getAttempt())
          .setPromptId(task.getPromptId())
          .setPromptTokens(Arrays.stream(prompt).boxed().toList())
          .setSamplesPerGroup(task.getSamplesPerGroup())
          .setModelHash(model.layout().modelHash())
          .setTokenizerHash(tokenizer.sha256())
          .setProducerId("wrong")
          .setGeneratedAt(System.currentTimeMillis())
          .setGenerationMillis(1)
          .setResponses(responses)
          .build();
    }

    private Response response(
        PromptTask task, int[] prompt, NDArray weights, SampledResponse sample) {
      int length = sample.tokens().length;
      long[] ids = new long[prompt.length + length - 1];
      long[] positions = new long[length];
      long[] targets = new long[length];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = i < prompt.length ? prompt[i] : sample.tokens()[i - prompt.length];
      }
      for (int t = 0; t < length; t++) {
        positions[t] = prompt.length + t - 1;
        targets[t] = sample.tokens()[t];
      }
      float[] atOne =
          model
              .tokenLogprobs(
                  weights,
                  model.manager().create(ids, new Shape(1, ids.length)),
                  model.manager().create(positions),
                  model.manager().create(targets),
                  1)
              .toFloatArray();
      List<Float> logprobs = new ArrayList<>();
      List<Integer> tokens = new ArrayList<>();
      for (int t = 0; t < length; t++) {
        logprobs.add(Math.min(0, atOne[t]));
        tokens.add(sample.tokens()[t]);
      }
      return Response.newBuilder()
          .setTokens(tokens)
          .setBehaviorLogprobs(logprobs)
          .setLossMask(Collections.nCopies(length, true))
          .setBehaviorLogprobMask(Collections.nCopies(length, true))
          .setReward(length % 2)
          .setFinishReason(FinishReason.STOP)
          .setPolicyVersion(task.getMinPolicyVersion())
          .setVersionSegments(List.of(new VersionSegment(0, task.getMinPolicyVersion())))
          .setSampling(
              Sampling.newBuilder()
                  .setTemperature(task.getSampling().getTemperature())
                  .setTopK(0)
                  .setTopP(1)
                  .setMinP(0)
                  .setRepetitionPenalty(1)
                  .setSeed(task.getSeed())
                  .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                  .setRenormalised(true)
                  .setWeightPrecision("float32")
                  .build())
          .build();
    }

    @Override
    public void close() {
      sampler.close();
      model.close();
      tokenizer.close();
      codec.close();
    }
  }
}
