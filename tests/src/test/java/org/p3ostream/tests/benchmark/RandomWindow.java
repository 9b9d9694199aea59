package org.p3ostream.tests.benchmark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.p3ostream.learner.window.AdvantageRule;
import org.p3ostream.learner.window.BehaviorVersions;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.SamplingRules;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

/** A window of random tokens: as many groups as asked for, every sequence of the same length. */
final class RandomWindow {

  private static final int SAMPLES = 8;

  private RandomWindow() {}

  /**
   * @param groups of {@value #SAMPLES} responses each
   */
  static Window of(
      ModelConfig config, int groups, int promptTokens, int responseTokens, long seed) {
    Random random = new Random(seed);
    RolloutContract contract =
        new RolloutContract(
            "model",
            "tokenizer",
            config.vocabSize(),
            SAMPLES,
            config.maxPositions(),
            AdvantageRule.STANDARD,
            SamplingRules.STANDARD,
            BehaviorVersions.NOT_NEEDED);
    List<TrainingGroup> admitted = new ArrayList<>();
    for (int id = 0; id < groups; id++) {
      List<Response> responses = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        responses.add(response(config, responseTokens, random));
      }
      RolloutGroup record =
          RolloutGroup.newBuilder()
              .setRunId("benchmark")
              .setGroupId(id)
              .setWindowIndex(0)
              .setAttempt(0)
              .setPromptId("random:" + id)
              .setPromptTokens(tokens(config, promptTokens, random))
              .setSamplesPerGroup(SAMPLES)
              .setModelHash("model")
              .setTokenizerHash("tokenizer")
              .setProducerId("benchmark")
              .setGeneratedAt(0)
              .setGenerationMillis(0)
              .setResponses(responses)
              .build();
      RolloutContract.Verdict verdict =
          contract.check(record, new RolloutCoordinate(0, id), 0, 0, false);
      if (!(verdict instanceof RolloutContract.Kept kept)) {
        throw new AssertionError(verdict.toString());
      }
      admitted.add(kept.group());
    }
    return new Window(0, admitted);
  }

  private static Response response(ModelConfig config, int length, Random random) {
    List<Float> logprobs = new ArrayList<>();
    for (int t = 0; t < length; t++) {
      logprobs.add((float) (-Math.log(config.vocabSize()) + random.nextDouble() - 0.5));
    }
    return Response.newBuilder()
        .setTokens(tokens(config, length, random))
        .setBehaviorLogprobs(logprobs)
        .setLossMask(Collections.nCopies(length, true))
        .setBehaviorLogprobMask(Collections.nCopies(length, true))
        .setReward(random.nextInt(3) / 2.0)
        .setRewardComponents(Map.of())
        .setFinishReason(FinishReason.STOP)
        .setPolicyVersion(0)
        .setVersionSegments(List.of(new VersionSegment(0, 0L)))
        .setSampling(
            Sampling.newBuilder()
                .setTemperature(1)
                .setTopK(0)
                .setTopP(1)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setSeed(0)
                .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                .setRenormalised(true)
                .setWeightPrecision("float32")
                .build())
        .build();
  }

  private static List<Integer> tokens(ModelConfig config, int length, Random random) {
    return random.ints(length, 0, config.vocabSize()).boxed().toList();
  }
}
