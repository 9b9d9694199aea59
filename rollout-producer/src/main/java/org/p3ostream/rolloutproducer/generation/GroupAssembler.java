package org.p3ostream.rolloutproducer.generation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SamplingRequest;
import org.p3ostream.schemas.avro.VersionSegment;

/**
 * Writes rollout groups: plain arrays in, records out.
 *
 * @param modelHash of config.json
 * @param tokenizerHash of tokenizer.json
 * @param producerId who sampled
 * @param recorded which log-probs the responses come with
 */
public record GroupAssembler(
    String modelHash, String tokenizerHash, String producerId, RecordedLogprob recorded) {

  /**
   * A group that was sampled.
   *
   * @param promptTokens [P]
   * @param variants G responses in all
   * @param generationMillis time spent sampling, milliseconds
   */
  RolloutGroup sampled(
      PromptTask task,
      int[] promptTokens,
      List<SampledVariant> variants,
      Instant generatedAt,
      double generationMillis) {
    List<Response> written = new ArrayList<>();
    for (SampledVariant sampled : variants) {
      Sampling sampling = sampling(task, sampled.variant());
      for (ScoredResponse response : sampled.responses()) {
        written.add(response(response, sampled.policyVersions(), sampling));
      }
    }
    return group(task, promptTokens, generatedAt)
        .setGenerationMillis(generationMillis)
        .setResponses(written)
        .build();
  }

  /**
   * A group that was given up.
   *
   * @param promptTokens [P]; of length 0 if it did not come to that
   */
  public RolloutGroup failed(
      PromptTask task, int[] promptTokens, String cause, Instant generatedAt) {
    return group(task, promptTokens, generatedAt)
        .setGenerationMillis(0)
        .setFailure(cause)
        .setResponses(List.of())
        .build();
  }

  private RolloutGroup.Builder group(PromptTask task, int[] promptTokens, Instant generatedAt) {
    return RolloutGroup.newBuilder()
        .setRunId(task.getRunId())
        .setGroupId(task.getGroupId())
        .setWindowIndex(task.getWindowIndex())
        .setAttempt(task.getAttempt())
        .setPromptId(task.getPromptId())
        .setPromptTokens(boxed(promptTokens))
        .setSamplesPerGroup(task.getSamplesPerGroup())
        .setModelHash(modelHash)
        .setTokenizerHash(tokenizerHash)
        .setProducerId(producerId)
        .setGeneratedAt(generatedAt.toEpochMilli());
  }

  private static Response response(
      ScoredResponse scored, List<Long> policyVersions, Sampling sampling) {
    SampledResponse response = scored.response();
    int length = response.tokens().length;
    List<VersionSegment> segments = segments(response, policyVersions);
    boolean aborted = response.finish() == SampledResponse.Finish.ABORTED;
    return Response.newBuilder()
        .setTokens(boxed(response.tokens()))
        .setBehaviorLogprobs(boxed(response.logprobs()))
        .setLossMask(Collections.nCopies(length, !aborted))
        .setBehaviorLogprobMask(Collections.nCopies(length, true))
        .setReward(scored.score().value())
        .setRewardComponents(scored.score().components())
        .setFinishReason(finishReason(response.finish()))
        .setPolicyVersion(
            segments.stream().mapToLong(VersionSegment::getPolicyVersion).min().orElseThrow())
        .setVersionSegments(segments)
        .setSampling(sampling)
        .build();
  }

  private static List<VersionSegment> segments(
      SampledResponse response, List<Long> policyVersions) {
    List<VersionSegment> segments = new ArrayList<>();
    segments.add(new VersionSegment(0, policyVersions.get(0)));
    for (int fromToken : response.exchanges()) {
      segments.add(new VersionSegment(fromToken, policyVersions.get(segments.size())));
    }
    return segments;
  }

  private Sampling sampling(PromptTask task, Variant variant) {
    SamplingRequest request = task.getSampling();
    SamplingParameters parameters = variant.parameters();
    return Sampling.newBuilder()
        .setTemperature(parameters.temperature())
        .setTopK(parameters.topK())
        .setTopP(parameters.topP())
        .setMinP(parameters.minP())
        .setRepetitionPenalty(request.getRepetitionPenalty())
        .setSeed(variant.seed())
        .setLogprobKind(logprobKind())
        .setRenormalised(true)
        .setWeightPrecision(variant.precision().id())
        .setStopStrings(request.getStopStrings())
        .build();
  }

  private LogprobKind logprobKind() {
    return switch (recorded) {
      case SAMPLING -> LogprobKind.SAMPLING_DISTRIBUTION;
      case RAW -> LogprobKind.RAW_MODEL;
    };
  }

  private static FinishReason finishReason(SampledResponse.Finish finish) {
    return switch (finish) {
      case STOP -> FinishReason.STOP;
      case LENGTH -> FinishReason.LENGTH;
      case ABORTED -> FinishReason.ABORTED;
    };
  }

  private static List<Integer> boxed(int[] values) {
    return Arrays.stream(values).boxed().toList();
  }

  private static List<Float> boxed(float[] values) {
    List<Float> boxed = new ArrayList<>(values.length);
    for (float value : values) {
      boxed.add(value);
    }
    return boxed;
  }
}
