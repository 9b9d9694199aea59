package org.p3ostream.learner.dispatch;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SamplingRequest;

/**
 * Which prompt and which seed a group gets: functions of (run seed, window, slot, attempt), never
 * of a clock or a run id.
 *
 * <p>First attempts walk through the prompts in a new permutation each epoch; later attempts draw
 * another prompt, since the first one may be the reason for the rejection.
 */
public final class PromptSchedule {
  private final RunConfig run;
  private final SamplingConfig sampling;
  private final List<PromptExample> prompts;
  private final String reward;
  private final int groupsPerWindow;
  private long permutedEpoch = -1;
  private int[] permutation = new int[0];

  /**
   * @param prompts training prompts, not empty
   * @param reward name of their reward function
   * @param groupsPerWindow B
   */
  public PromptSchedule(
      RunConfig run,
      SamplingConfig sampling,
      List<PromptExample> prompts,
      String reward,
      int groupsPerWindow) {
    this.run = run;
    this.sampling = sampling;
    this.prompts = List.copyOf(prompts);
    this.reward = reward;
    this.groupsPerWindow = groupsPerWindow;
  }

  /**
   * The task of one group.
   *
   * @param groupId windowIndex · B + slot
   * @param attempt 0 for the first dispatch
   * @param policyVersion version asked for
   * @param lockstep whether exactly that version must sample it
   */
  public PromptTask task(long groupId, int attempt, long policyVersion, boolean lockstep) {
    long windowIndex = groupId / groupsPerWindow;
    int slot = (int) (groupId % groupsPerWindow);
    int index = promptIndex(groupId, attempt);
    PromptExample example = prompts.get(index);
    return PromptTask.newBuilder()
        .setRunId(run.id())
        .setWindowIndex(windowIndex)
        .setSlot(slot)
        .setGroupId(groupId)
        .setAttempt(attempt)
        .setPromptId("train:" + index)
        .setPrompt(example.prompt())
        .setReferenceAnswer(example.answer())
        .setReward(reward)
        .setSamplesPerGroup(sampling.samplesPerGroup())
        .setSampling(
            SamplingRequest.newBuilder()
                .setTemperature(sampling.temperature())
                .setTopK(sampling.topK())
                .setTopP(sampling.topP())
                .setMinP(sampling.minP())
                .setRepetitionPenalty(1)
                .setMaxResponseTokens(sampling.maxResponseTokens())
                .setStopStrings(sampling.stopStrings())
                .build())
        .setSeed(SeedDerivation.derive(run.seed(), windowIndex, slot, attempt))
        .setMinPolicyVersion(policyVersion)
        .setExactPolicyVersion(lockstep ? policyVersion : null)
        .build();
  }

  private int promptIndex(long groupId, int attempt) {
    int first = firstPromptIndex(groupId);
    if (attempt == 0 || prompts.size() == 1) {
      return first;
    }
    long seed = SeedDerivation.derive(run.seed(), -1, groupId, attempt);
    int other = new SplittableRandom(seed).nextInt(prompts.size() - 1);
    return other < first ? other : other + 1;
  }

  private int firstPromptIndex(long groupId) {
    long epoch = groupId / prompts.size();
    if (epoch != permutedEpoch) {
      permutation = permute(epoch);
      permutedEpoch = epoch;
    }
    return permutation[(int) (groupId % prompts.size())];
  }

  private int[] permute(long epoch) {
    int[] order = new int[prompts.size()];
    Arrays.setAll(order, i -> i);
    SplittableRandom random = new SplittableRandom(SeedDerivation.derive(run.seed(), -2, epoch));
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }
}
