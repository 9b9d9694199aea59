package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.reward.Score;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

class GroupAssemblerTest {

  private static final Instant AT = Instant.ofEpochMilli(1_700_000_000_123L);

  private final GroupAssembler assembler =
      new GroupAssembler("model-hash", "tokenizer-hash", "producer-b", RecordedLogprob.SAMPLING);

  private final PromptTask task =
      PromptTasks.builder(11)
          .setAttempt(2)
          .setSeed(99)
          .setSamplesPerGroup(2)
          .setSampling(
              PromptTasks.sampling()
                  .setTemperature(0.7)
                  .setTopK(5)
                  .setTopP(0.9)
                  .setMinP(0.05)
                  .setStopStrings(List.of("#"))
                  .build())
          .build();

  /** All responses by version 7, as the task asks. */
  private List<SampledVariant> variant(WeightPrecision precision, ScoredResponse... responses) {
    Variant variant =
        new Variant(
            responses.length, TaskRules.parameters(task.getSampling()), precision, task.getSeed());
    return List.of(new SampledVariant(variant, List.of(7L), List.of(responses)));
  }

  private RolloutGroup sampled() {
    return assembler.sampled(
        task,
        new int[] {1, 2, 10},
        variant(
            WeightPrecision.FP8,
            new ScoredResponse(
                new SampledResponse(
                    new int[] {3, 11}, new float[] {-0.5f, -0.25f}, SampledResponse.Finish.STOP),
                new Score(1, Map.of("exact-match", 1.0))),
            new ScoredResponse(
                new SampledResponse(
                    new int[] {4}, new float[] {-2f}, SampledResponse.Finish.LENGTH),
                new Score(0, Map.of("exact-match", 0.0)))),
        AT,
        12.5);
  }

  @Test
  void sampledCopiesTheTaskAndNamesModelTokenizerAndProducer() {
    RolloutGroup group = sampled();

    assertThat(group.getRunId()).isEqualTo(PromptTasks.RUN);
    assertThat(group.getGroupId()).isEqualTo(11);
    assertThat(group.getWindowIndex()).isEqualTo(1);
    assertThat(group.getAttempt()).isEqualTo(2);
    assertThat(group.getPromptId()).isEqualTo("digits:11");
    assertThat(group.getPromptTokens()).containsExactly(1, 2, 10);
    assertThat(group.getSamplesPerGroup()).isEqualTo(2);
    assertThat(group.getModelHash()).isEqualTo("model-hash");
    assertThat(group.getTokenizerHash()).isEqualTo("tokenizer-hash");
    assertThat(group.getProducerId()).isEqualTo("producer-b");
    assertThat(group.getGeneratedAt()).isEqualTo(AT.toEpochMilli());
    assertThat(group.getGenerationMillis()).isEqualTo(12.5);
    assertThat(group.getFailure()).isNull();
  }

  @Test
  void sampledWritesEveryResponseWithItsOwnTokensAndReward() {
    List<Response> responses = sampled().getResponses();

    assertThat(responses).hasSize(2);
    Response first = responses.get(0);
    assertThat(first.getTokens()).containsExactly(3, 11);
    assertThat(first.getBehaviorLogprobs()).containsExactly(-0.5f, -0.25f);
    assertThat(first.getLossMask()).containsExactly(true, true);
    assertThat(first.getBehaviorLogprobMask()).containsExactly(true, true);
    assertThat(first.getReward()).isEqualTo(1);
    assertThat(first.getRewardComponents()).containsExactly(Map.entry("exact-match", 1.0));
    assertThat(first.getFinishReason()).isEqualTo(FinishReason.STOP);
    assertThat(first.getPolicyVersion()).isEqualTo(7);
    assertThat(first.getVersionSegments()).containsExactly(new VersionSegment(0, 7L));
    assertThat(responses.get(1).getTokens()).containsExactly(4);
    assertThat(responses.get(1).getLossMask()).containsExactly(true);
    assertThat(responses.get(1).getFinishReason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void sampledDescribesTheDistributionOfTheLogprobs() {
    assertThat(sampled().getResponses())
        .allSatisfy(
            response ->
                assertThat(response.getSampling())
                    .isEqualTo(
                        Sampling.newBuilder()
                            .setTemperature(0.7)
                            .setTopK(5)
                            .setTopP(0.9)
                            .setMinP(0.05)
                            .setRepetitionPenalty(1)
                            .setSeed(99)
                            .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                            .setRenormalised(true)
                            .setWeightPrecision("fp8")
                            .setStopStrings(List.of("#"))
                            .build()));
  }

  @Test
  void sampledNamesTheModelWhenItsOwnLogprobsAreRecorded() {
    RolloutGroup group =
        new GroupAssembler("model-hash", "tokenizer-hash", "producer-b", RecordedLogprob.RAW)
            .sampled(
                task,
                new int[] {1},
                variant(
                    WeightPrecision.FLOAT32,
                    new ScoredResponse(
                        new SampledResponse(
                            new int[] {4}, new float[] {-2f}, SampledResponse.Finish.STOP),
                        new Score(0, Map.of("exact-match", 0.0)))),
                AT,
                1);
    Sampling sampling = group.getResponses().get(0).getSampling();
    assertThat(sampling.getLogprobKind()).isEqualTo(LogprobKind.RAW_MODEL);
    assertThat(sampling.getTemperature()).isEqualTo(0.7);
  }

  /** Weights were exchanged twice; the second response had ended before the last exchange. */
  @Test
  void sampledTellsWhichVersionSampledWhichTokens() {
    Variant variant =
        new Variant(
            2, TaskRules.parameters(task.getSampling()), WeightPrecision.FLOAT32, task.getSeed());
    List<Response> responses =
        assembler
            .sampled(
                task,
                new int[] {1},
                List.of(
                    new SampledVariant(
                        variant,
                        List.of(4L, 6L, 7L),
                        List.of(exchanged(5, 2, 3), exchanged(3, 2)))),
                AT,
                12.5)
            .getResponses();

    assertThat(responses).extracting(Response::getPolicyVersion).containsOnly(4L);
    assertThat(responses.get(0).getVersionSegments())
        .containsExactly(
            new VersionSegment(0, 4L), new VersionSegment(2, 6L), new VersionSegment(3, 7L));
    assertThat(responses.get(1).getVersionSegments())
        .containsExactly(new VersionSegment(0, 4L), new VersionSegment(2, 6L));
  }

  private static ScoredResponse exchanged(int length, int... exchanges) {
    return new ScoredResponse(
        new SampledResponse(
            new int[length], new float[length], SampledResponse.Finish.LENGTH, exchanges),
        Score.NONE);
  }

  /** Its log-probs are those of its tokens; there is no reward to train them with. */
  @Test
  void sampledMasksAnAbortedResponseOutOfTheLoss() {
    Response response =
        assembler
            .sampled(
                task,
                new int[] {1},
                variant(
                    WeightPrecision.FLOAT32,
                    new ScoredResponse(
                        new SampledResponse(
                            new int[] {3, 4},
                            new float[] {-0.5f, -0.25f},
                            SampledResponse.Finish.ABORTED),
                        Score.NONE)),
                AT,
                12.5)
            .getResponses()
            .get(0);

    assertThat(response.getFinishReason()).isEqualTo(FinishReason.ABORTED);
    assertThat(response.getTokens()).containsExactly(3, 4);
    assertThat(response.getLossMask()).containsExactly(false, false);
    assertThat(response.getBehaviorLogprobMask()).containsExactly(true, true);
    assertThat(response.getReward()).isZero();
    assertThat(response.getRewardComponents()).isEmpty();
  }

  @Test
  void failedHasACauseAndNoResponses() {
    RolloutGroup group = assembler.failed(task, new int[0], "no such reward", AT);

    assertThat(group.getFailure()).isEqualTo("no such reward");
    assertThat(group.getResponses()).isEmpty();
    assertThat(group.getGroupId()).isEqualTo(11);
    assertThat(group.getAttempt()).isEqualTo(2);
  }
}
