package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.tests.support.LateWeights;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Rollouts that are sampled by something else than what is trained, and say so. */
@ExtendWith(LocalStackExtension.class)
class MismatchIT {

  /**
   * The audit would find gaps of a hundredth of a nat if the learner took the weights as they are.
   */
  @Test
  void figuresOfRoundedRolloutsAreThoseOfTheRoundedWeights(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=6",
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=1",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "prompts.reward=regex",
            "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory),
            "producer.rolloutPrecision=int4",
            "audit.behaviorLogprobs=true");
    BehaviorSnapshotsIT.assertRunIsThatOfTheLog(run, false);
    assertThat(responses(run))
        .isNotEmpty()
        .allMatch(response -> response.getSampling().getWeightPrecision().equals("int4"));
    StepMetrics fresh = run.steps().get(0).getMetrics();
    assertThat(fresh.getStalenessMax()).isZero();
    assertThat(fresh.getBehaviorKlExactMean()).isGreaterThan(1e-5);
    BehaviorSnapshotsIT.deleteCheckpoints(run);
    run.learner().join(); // executes all steps again, digests compared
  }

  /**
   * Sampled at another temperature and from few tokens, and recorded without either: on-policy
   * there is nothing between the two sides of the ratio, and the audit compares like with like. The
   * exact KL is still towards what was sampled from.
   */
  @Test
  void figuresOfRawLogprobsAreThoseOfTheModelWhateverWasSampledFrom(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=6",
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=2",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "prompts.reward=regex",
            "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory),
            "sampling.temperature=0.6",
            "sampling.topK=6",
            "ratio.behaviorLogprob=raw",
            "producer.behaviorLogprob=raw",
            "audit.behaviorLogprobs=true");
    BehaviorSnapshotsIT.assertRunIsThatOfTheLog(run, false);
    assertThat(responses(run))
        .isNotEmpty()
        .allMatch(
            response ->
                response.getSampling().getLogprobKind() == LogprobKind.RAW_MODEL
                    && response.getSampling().getTemperature() == 0.6);
    StepMetrics onPolicy = run.steps().get(0).getMetrics();
    assertThat(onPolicy.getBehaviorLogprob()).isEqualTo("raw");
    assertThat(onPolicy.getStalenessMax()).isZero();
    assertThat(onPolicy.getNormalizedEss()).isCloseTo(1, within(1e-8));
    assertThat(onPolicy.getBehaviorKlExactMean()).isGreaterThan(0.01);
    assertThat(onPolicy.getAdaptiveKlLossMean()).isCloseTo(0, within(1e-8));
    assertThat(RunAudit.of(run.config()).problems()).isEmpty();
    BehaviorSnapshotsIT.deleteCheckpoints(run);
    run.learner().join(); // executes all steps again, digests compared
  }

  /**
   * Some responses are sampled by several versions, each token recorded with its own, and the
   * learner computes each with its own. Rounded besides.
   */
  @Test
  void figuresOfResponsesThatWereUpdatedInFlightAreThoseOfEveryTokensVersion(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=12",
            "algorithm.klMode=exact",
            "dispatch.lockstep=false",
            "dispatch.maxStaleness=2",
            "dispatch.groupsPerWindow=1",
            "sampling.samplesPerGroup=16",
            "sampling.maxResponseTokens=55",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "prompts.reward=regex",
            "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory),
            "producer.inFlightUpdates=true",
            "producer.rolloutPrecision=int8",
            "audit.behaviorLogprobs=true");
    BehaviorSnapshotsIT.assertRunIsThatOfTheLog(run, false, clients -> LateWeights.of(clients, 2));
    List<Response> updated =
        responses(run).stream().filter(r -> r.getVersionSegments().size() > 1).toList();
    System.out.printf(
        "%d of %d responses sampled by several versions, up to %d%n",
        updated.size(),
        responses(run).size(),
        updated.stream().mapToInt(r -> r.getVersionSegments().size()).max().orElse(1));
    assertThat(updated).isNotEmpty();
    assertThat(RunAudit.of(run.config()).problems()).isEmpty();
    BehaviorSnapshotsIT.deleteCheckpoints(run);
    run.learner().join(); // executes all steps again, digests compared
  }

  /**
   * Every response has the version, the precision and the temperature of its variant, and the
   * learner computes with just these. The twin has two producers that keep less than the variants
   * go back, and a log that is trimmed.
   */
  @Test
  void figuresOfAMixtureAreThoseOfItsVariantsWhoeverSamples(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = mixed(stack, directory.resolve("run"));
    BehaviorSnapshotsIT.assertRunIsThatOfTheLog(run, false);
    assertEveryResponseIsOfItsVariant(run);
    assertThat(RunAudit.of(run.config()).problems()).isEmpty();
    assertThat(run.steps().get(8).getMetrics().getStalenessMax()).isEqualTo(8 - 7 + 3);

    TestRun twin =
        mixed(
            stack,
            directory.resolve("twin"),
            "producer.versionsKept=1",
            "learner.checkpointEvery=2",
            "learner.checkpointsKept=2",
            "trimming.enabled=true",
            "trimming.everySteps=2",
            "trimming.keepWindows=0");
    try (RunningRole first = twin.producer("a");
        RunningRole second = twin.producer("b")) {
      twin.learner().join();
    }
    assertThat(digests(twin)).isEqualTo(digests(run));
    assertThat(RunAudit.of(twin.config()).problems()).isEmpty();
    assertThat(twin.ledger())
        .anyMatch(
            event ->
                event.getControl() != null && event.getControl().getKind() == ControlKind.TRIM);
  }

  private static TestRun mixed(LocalStack stack, Path directory, String... overrides)
      throws Exception {
    Files.createDirectories(directory);
    List<String> all =
        new ArrayList<>(
            List.of(
                "learner.steps=9",
                "algorithm.klMode=exact",
                "dispatch.maxStaleness=1",
                "dispatch.versionsBack=3",
                "optimizer.learningRate=0.01",
                "optimizer.warmupFraction=0",
                "prompts.reward=regex",
                "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory),
                "producer.mixture=[{responses: 2},"
                    + " {responses: 1, versionsBack: 2, precision: int4},"
                    + " {responses: 1, syncInterval: 4, precision: fp8, temperature: 1.5}]",
                "audit.behaviorLogprobs=true"));
    all.addAll(List.of(overrides));
    return new TestRun(stack, directory, all.toArray(String[]::new));
  }

  /** From the rollouts themselves. */
  private static void assertEveryResponseIsOfItsVariant(TestRun run) {
    for (RolloutGroup group : run.values(run.topics().rollouts(), RolloutGroup.class)) {
      long asked = Math.max(0, group.getWindowIndex() - 1);
      assertThat(group.getResponses())
          .extracting(
              Response::getPolicyVersion,
              response -> response.getVersionSegments().size(),
              response -> response.getSampling().getWeightPrecision(),
              response -> response.getSampling().getTemperature())
          .containsExactly(
              tuple(asked, 1, "float32", 1.0),
              tuple(asked, 1, "float32", 1.0),
              tuple(Math.max(0, asked - 2), 1, "int4", 1.0),
              tuple(asked - asked % 4, 1, "fp8", 1.5));
    }
  }

  private static List<String> digests(TestRun run) {
    return run.steps().stream().map(StepEvent::getWeightsSha256).toList();
  }

  private static List<Response> responses(TestRun run) {
    return run.values(run.topics().rollouts(), RolloutGroup.class).stream()
        .flatMap(group -> group.getResponses().stream())
        .toList();
  }
}
