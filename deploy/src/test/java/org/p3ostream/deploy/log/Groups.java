package org.p3ostream.deploy.log;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SamplingRequest;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.serde.Decoded;

/** Rollout groups and what belongs to them, to be varied by the tests. */
final class Groups {

  private Groups() {}

  static LogEntry entry(RolloutGroup group) {
    return new LogEntry("p3o.rollouts", 2, 17, 1_000, new Decoded.Accepted(group));
  }

  static RolloutGroup.Builder group(String tokenizerHash, List<Response> responses) {
    return RolloutGroup.newBuilder()
        .setRunId("demo")
        .setGroupId(10)
        .setWindowIndex(1)
        .setAttempt(0)
        .setPromptId("sums:7")
        .setPromptTokens(List.of(3, 4))
        .setSamplesPerGroup(responses.size())
        .setModelHash("model")
        .setTokenizerHash(tokenizerHash)
        .setProducerId("1")
        .setGeneratedAt(1_700_000_000_123L)
        .setGenerationMillis(31.4)
        .setResponses(responses);
  }

  static Response response(List<Integer> tokens, double reward, FinishReason finishReason) {
    return builder(tokens, reward, finishReason).build();
  }

  static Response.Builder builder(List<Integer> tokens, double reward, FinishReason finishReason) {
    return Response.newBuilder()
        .setTokens(tokens)
        .setBehaviorLogprobs(Collections.nCopies(tokens.size(), -0.5f))
        .setLossMask(Collections.nCopies(tokens.size(), true))
        .setBehaviorLogprobMask(Collections.nCopies(tokens.size(), true))
        .setReward(reward)
        .setRewardComponents(Map.of("exact-match", reward))
        .setFinishReason(finishReason)
        .setPolicyVersion(3)
        .setVersionSegments(List.of(segment(0, 3)))
        .setSampling(
            Sampling.newBuilder()
                .setTemperature(0.8)
                .setTopK(0)
                .setTopP(0.9)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setSeed(5)
                .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                .setRenormalised(true)
                .setWeightPrecision("float32")
                .build());
  }

  static VersionSegment segment(int fromToken, long policyVersion) {
    return VersionSegment.newBuilder()
        .setFromToken(fromToken)
        .setPolicyVersion(policyVersion)
        .build();
  }

  static PromptTask task(String prompt, String answer) {
    return PromptTask.newBuilder()
        .setRunId("demo")
        .setWindowIndex(1)
        .setSlot(2)
        .setGroupId(10)
        .setAttempt(0)
        .setPromptId("sums:7")
        .setPrompt(prompt)
        .setReferenceAnswer(answer)
        .setReward("exact-match")
        .setSamplesPerGroup(2)
        .setSampling(
            SamplingRequest.newBuilder()
                .setTemperature(0.8)
                .setTopK(0)
                .setTopP(0.9)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setMaxResponseTokens(12)
                .build())
        .setSeed(5)
        .setMinPolicyVersion(3)
        .build();
  }
}
