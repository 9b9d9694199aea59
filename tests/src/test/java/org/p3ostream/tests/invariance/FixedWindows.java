package org.p3ostream.tests.invariance;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.p3ostream.learner.window.AdvantageRule;
import org.p3ostream.learner.window.BehaviorVersions;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.SamplingRules;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

/**
 * Three windows of the nano model, sampled from it or from a model that it has moved away from. A
 * function of seeds alone.
 */
final class FixedWindows {

  static final String RUN_ID = "invariance";
  static final int GROUPS = 8;
  private static final int SAMPLES = 4;
  private static final String TOKENIZER_HASH = "tokenizer";
  private static final double SPREAD = 4; // of the initial weights: a policy with opinions
  private static final double DRIFT = 0.04; // standard deviation, per weight, of a stale policy

  private final ModelConfig config = NanoModel.config();
  private final float[] weights = scaled(ParameterInitializer.initialize(config, 11));

  /** Weights of step 0, [P]. */
  float[] weights() {
    return weights;
  }

  /** Stale; ragged, masked, with whole groups without a token; on-policy. */
  List<FixedWindow> all() {
    try (CausalLm model = new CausalLm(config, Device.cpu(), DataType.FLOAT32)) {
      return List.of(
          window(model, 0, "stale", drifted(21), new Shapes(12, 12, 5, 5, 0)),
          window(model, 1, "ragged", drifted(22), new Shapes(1, 16, 1, 9, 0.3)),
          window(model, 2, "on-policy", weights, new Shapes(8, 12, 3, 6, 0)));
    }
  }

  /** The contract that the groups keep. */
  RolloutContract contract(String modelHash) {
    return new RolloutContract(
        modelHash,
        TOKENIZER_HASH,
        config.vocabSize(),
        SAMPLES,
        config.maxPositions(),
        AdvantageRule.STANDARD,
        SamplingRules.STANDARD,
        BehaviorVersions.NOT_NEEDED);
  }

  /**
   * What the responses of a window look like.
   *
   * @param masked fraction of tokens out of the loss; if any, every third group is out as a whole
   */
  private record Shapes(
      int shortest, int longest, int shortestPrompt, int longestPrompt, double masked) {
    int responseLength(Random random) {
      return shortest + random.nextInt(longest - shortest + 1);
    }

    int promptLength(Random random) {
      return shortestPrompt + random.nextInt(longestPrompt - shortestPrompt + 1);
    }
  }

  private FixedWindow window(
      CausalLm model, int index, String name, float[] behavior, Shapes shapes) {
    Random random = new Random(100 + index);
    List<RolloutGroup> groups = new ArrayList<>();
    try (NDArray parameters = model.parameters(behavior)) {
      for (int slot = 0; slot < GROUPS; slot++) {
        groups.add(group(model, parameters, index, slot, shapes, random));
      }
    }
    return new FixedWindow(name, groups);
  }

  private RolloutGroup group(
      CausalLm model, NDArray behavior, int window, int slot, Shapes shapes, Random random) {
    List<Integer> prompt =
        random.ints(shapes.promptLength(random), 0, config.vocabSize()).boxed().toList();
    boolean silent = shapes.masked > 0 && slot % 3 == 2;
    List<Response> responses = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      int length = shapes.responseLength(random);
      responses.add(response(model, behavior, prompt, length, silent ? 1 : shapes.masked, random));
    }
    return RolloutGroup.newBuilder()
        .setRunId(RUN_ID)
        .setGroupId((long) window * GROUPS + slot)
        .setWindowIndex(window)
        .setAttempt(0)
        .setPromptId("fixed:" + slot)
        .setPromptTokens(prompt)
        .setSamplesPerGroup(SAMPLES)
        .setModelHash(model.layout().modelHash())
        .setTokenizerHash(TOKENIZER_HASH)
        .setProducerId("fixed")
        .setGeneratedAt(1_000)
        .setGenerationMillis(1)
        .setResponses(responses)
        .build();
  }

  private Response response(
      CausalLm model,
      NDArray behavior,
      List<Integer> prompt,
      int length,
      double masked,
      Random random) {
    List<Integer> sequence = new ArrayList<>(prompt);
    List<Float> logprobs = new ArrayList<>();
    List<Boolean> lossMask = new ArrayList<>();
    for (int t = 0; t < length; t++) {
      double[] distribution = next(model, behavior, sequence);
      int token = draw(distribution, random);
      sequence.add(token);
      logprobs.add((float) Math.log(distribution[token]));
      lossMask.add(random.nextDouble() >= masked);
    }
    return Response.newBuilder()
        .setTokens(sequence.subList(prompt.size(), sequence.size()))
        .setBehaviorLogprobs(logprobs)
        .setLossMask(lossMask)
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

  /** Probabilities of the next token, [V]. */
  private double[] next(CausalLm model, NDArray behavior, List<Integer> sequence) {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      long[] ids = sequence.stream().mapToLong(Integer::longValue).toArray();
      NDArray logits = // [1, T, V]
          model.logits(behavior, model.manager().create(ids, new Shape(1, ids.length)));
      float[] all = logits.toFloatArray();
      double[] exponentials = new double[config.vocabSize()];
      double sum = 0;
      for (int v = 0; v < exponentials.length; v++) {
        exponentials[v] = Math.exp(all[all.length - exponentials.length + v]);
        sum += exponentials[v];
      }
      for (int v = 0; v < exponentials.length; v++) {
        exponentials[v] /= sum;
      }
      return exponentials;
    }
  }

  private static int draw(double[] distribution, Random random) {
    double left = random.nextDouble();
    for (int v = 0; v < distribution.length - 1; v++) {
      left -= distribution[v];
      if (left < 0) {
        return v;
      }
    }
    return distribution.length - 1;
  }

  private static float[] scaled(float[] weights) {
    float[] scaled = weights.clone();
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] *= scaled[i] == 1 ? 1 : SPREAD; // norms stay
    }
    return scaled;
  }

  private float[] drifted(long seed) {
    Random random = new Random(seed);
    float[] drifted = weights.clone();
    for (int i = 0; i < drifted.length; i++) {
      drifted[i] += (float) (DRIFT * random.nextGaussian());
    }
    return drifted;
  }
}
