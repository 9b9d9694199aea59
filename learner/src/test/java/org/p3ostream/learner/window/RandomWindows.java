package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/** Windows of random tokens, taken through the contract as records are. */
public final class RandomWindows {

  public static final int GROUPS = 4;
  public static final int SAMPLES = 4;
  private static final int MAX_POSITIONS = 64;

  private RandomWindows() {}

  /**
   * {@link #GROUPS} records with prompts and responses of different lengths, some masked tokens.
   */
  public static List<RolloutGroup> records(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<RolloutGroup> records = new ArrayList<>();
    for (int slot = 0; slot < GROUPS; slot++) {
      List<Response> responses = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        responses.add(response(random));
      }
      records.add(
          RolloutGroup.newBuilder(RolloutGroups.good(slot, 0, 0, 0))
              .setSamplesPerGroup(SAMPLES)
              .setPromptTokens(tokens(random, 1 + random.nextInt(6)))
              .setResponses(responses)
              .build());
    }
    return records;
  }

  public static Window window(long seed) {
    return window(records(seed));
  }

  public static Window window(List<RolloutGroup> records) {
    List<TrainingGroup> groups = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      groups.add(group(records.get(i), i));
    }
    return new Window(0, groups);
  }

  /**
   * All records, each with aborted responses put first, in between and last. They are longer than
   * the others and their rewards unlike.
   */
  public static List<RolloutGroup> withAborted(List<RolloutGroup> records, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return records.stream()
        .map(
            record -> {
              List<Response> responses = new ArrayList<>(record.getResponses());
              for (int index : new int[] {responses.size(), 2, 0}) {
                Response cut = RolloutGroups.response(random, 20, 0, 0);
                responses.add(
                    index, RolloutGroups.abort(Response.newBuilder(cut)).setReward(100).build());
              }
              return RolloutGroup.newBuilder(record).setResponses(responses).build();
            })
        .toList();
  }

  /** All records with every response changed. */
  public static List<RolloutGroup> withResponses(
      List<RolloutGroup> records, UnaryOperator<Response.Builder> change) {
    return records.stream()
        .map(
            record ->
                RolloutGroup.newBuilder(record)
                    .setResponses(
                        record.getResponses().stream()
                            .map(response -> change.apply(Response.newBuilder(response)).build())
                            .toList())
                    .build())
        .toList();
  }

  private static TrainingGroup group(RolloutGroup record, long recordOffset) {
    RolloutContract contract =
        new RolloutContract(
            RolloutGroups.MODEL_HASH,
            RolloutGroups.TOKENIZER_HASH,
            RolloutGroups.VOCAB_SIZE,
            record.getResponses().size(),
            MAX_POSITIONS,
            AdvantageRule.STANDARD,
            SamplingRules.STANDARD,
            BehaviorVersions.NOT_NEEDED);
    RolloutContract.Verdict verdict =
        contract.check(record, new RolloutCoordinate(0, recordOffset), 9, 0, false);
    if (verdict instanceof RolloutContract.Kept kept) {
      return kept.group();
    }
    throw new AssertionError(verdict.toString());
  }

  /** Log-probs around those of a model that knows nothing, −ln 16 nats. */
  private static Response response(SplittableRandom random) {
    int length = 1 + random.nextInt(9);
    List<Float> logprobs = new ArrayList<>();
    List<Boolean> lossMask = new ArrayList<>();
    for (int t = 0; t < length; t++) {
      logprobs.add((float) (-Math.log(16) + random.nextDouble() - 0.5));
      lossMask.add(random.nextInt(5) > 0);
    }
    return Response.newBuilder(RolloutGroups.response(random, length, 0, random.nextInt(3) / 2.0))
        .setBehaviorLogprobs(logprobs)
        .setLossMask(lossMask)
        .build();
  }

  private static List<Integer> tokens(SplittableRandom random, int length) {
    return random.ints(length, 0, RolloutGroups.VOCAB_SIZE).boxed().toList();
  }
}
