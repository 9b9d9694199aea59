package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.serde.RecordTypes;

/** Rollout records that keep the contract, to be broken or varied by tests. */
public final class RolloutGroups {

  public static final String RUN_ID = "run-a";
  public static final String MODEL_HASH = "model-hash";
  public static final String TOKENIZER_HASH = "tokenizer-hash";
  public static final int VOCAB_SIZE = 16;
  public static final int SAMPLES_PER_GROUP = 2;
  public static final int MAX_POSITIONS = 24;

  static {
    RecordTypes.schemas(); // declares the generated classes trusted, which copying builders need
  }

  private RolloutGroups() {}

  /** The contract that {@link #good} keeps. */
  public static RolloutContract contract() {
    return new RolloutContract(
        MODEL_HASH,
        TOKENIZER_HASH,
        VOCAB_SIZE,
        SAMPLES_PER_GROUP,
        MAX_POSITIONS,
        AdvantageRule.STANDARD,
        SamplingRules.STANDARD,
        BehaviorVersions.NOT_NEEDED);
  }

  /** The same with rules for the sampling. */
  public static RolloutContract contract(SamplingRules rules, BehaviorVersions snapshots) {
    return new RolloutContract(
        MODEL_HASH,
        TOKENIZER_HASH,
        VOCAB_SIZE,
        SAMPLES_PER_GROUP,
        MAX_POSITIONS,
        AdvantageRule.STANDARD,
        rules,
        snapshots);
  }

  /** Two responses of five and three tokens to a prompt of four, sampled by one version. */
  public static RolloutGroup good(long groupId, int attempt, long windowIndex, long version) {
    SplittableRandom random = new SplittableRandom(groupId * 31 + attempt);
    return RolloutGroup.newBuilder()
        .setRunId(RUN_ID)
        .setGroupId(groupId)
        .setWindowIndex(windowIndex)
        .setAttempt(attempt)
        .setPromptId("train:" + groupId)
        .setPromptTokens(tokens(random, 4))
        .setSamplesPerGroup(SAMPLES_PER_GROUP)
        .setModelHash(MODEL_HASH)
        .setTokenizerHash(TOKENIZER_HASH)
        .setProducerId("producer-1")
        .setGeneratedAt(1_000)
        .setGenerationMillis(5)
        .setResponses(List.of(response(random, 5, version, 1), response(random, 3, version, 0)))
        .build();
  }

  /** A response of random tokens, sampled by one version, ended by end-of-sequence. */
  public static Response response(
      SplittableRandom random, int length, long version, double reward) {
    List<Float> logprobs = new ArrayList<>();
    for (int t = 0; t < length; t++) {
      logprobs.add((float) (-0.1 - 4 * random.nextDouble()));
    }
    return Response.newBuilder()
        .setTokens(tokens(random, length))
        .setBehaviorLogprobs(logprobs)
        .setLossMask(Collections.nCopies(length, true))
        .setBehaviorLogprobMask(Collections.nCopies(length, true))
        .setReward(reward)
        .setFinishReason(FinishReason.STOP)
        .setPolicyVersion(version)
        .setVersionSegments(List.of(new VersionSegment(0, version)))
        .setSampling(sampling(builder -> {}))
        .build();
  }

  /** Plain sampling at temperature 1, changed by {@code change}. */
  public static Sampling sampling(Consumer<Sampling.Builder> change) {
    Sampling.Builder sampling =
        Sampling.newBuilder()
            .setTemperature(1)
            .setTopK(0)
            .setTopP(1)
            .setMinP(0)
            .setRepetitionPenalty(1)
            .setSeed(7)
            .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
            .setRenormalised(true)
            .setWeightPrecision("float32");
    change.accept(sampling);
    return sampling.build();
  }

  /** {@code group} with one of its responses changed. */
  public static RolloutGroup withResponse(
      RolloutGroup group, int index, Consumer<Response.Builder> change) {
    List<Response> responses = new ArrayList<>(group.getResponses());
    Response.Builder response = Response.newBuilder(responses.get(index));
    change.accept(response);
    responses.set(index, response.build());
    return RolloutGroup.newBuilder(group).setResponses(responses).build();
  }

  /** As a producer leaves a response that it cut short. */
  public static Response.Builder abort(Response.Builder response) {
    return response
        .setFinishReason(FinishReason.ABORTED)
        .setLossMask(Collections.nCopies(response.getTokens().size(), false))
        .setReward(0)
        .setRewardComponents(Map.of());
  }

  /** {@code values} with one entry replaced. */
  public static <T> List<T> replaced(List<T> values, int index, T value) {
    List<T> copy = new ArrayList<>(values);
    copy.set(index, value);
    return copy;
  }

  static List<Integer> tokens(SplittableRandom random, int length) {
    return random.ints(length, 0, VOCAB_SIZE).boxed().toList();
  }
}
