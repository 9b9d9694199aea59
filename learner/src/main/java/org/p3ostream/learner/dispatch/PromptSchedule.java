package org.p3ostream.learner.dispatch;

import java.util.Comparator;
import java.util.List;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SamplingRequest;

/**
 * Which prompt and which seed a group gets: functions of (run seed, window, slot, attempt), never
 * of a clock or a run id.
 *
 * <p>Data sets take turns by their weights ({@link DatasetMix}); the order in which they are listed
 * does not matter. First attempts walk through the prompts of a data set in a new permutation each
 * epoch; later attempts draw another prompt of the same data set, since the first one may be the
 * reason for the rejection.
 */
public final class PromptSchedule {
  private final RunConfig run;
  private final SamplingConfig sampling;
  private final List<PromptDataset> datasets;
  private final List<PromptWalk> walks;
  private final DatasetMix mix;
  private final int groupsPerWindow;

  /**
   * @param datasets data sets with different names, not empty
   * @param groupsPerWindow B
   */
  public PromptSchedule(
      RunConfig run, SamplingConfig sampling, List<PromptDataset> datasets, int groupsPerWindow) {
    this.run = run;
    this.sampling = sampling;
    this.datasets = datasets.stream().sorted(Comparator.comparing(PromptDataset::name)).toList();
    this.walks =
        this.datasets.stream()
            .map(set -> new PromptWalk(run.seed(), set.name(), set.prompts().size()))
            .toList();
    this.mix =
        new DatasetMix(
            run.seed(),
            this.datasets.stream().map(PromptDataset::weight).toList(),
            groupsPerWindow);
    this.groupsPerWindow = groupsPerWindow;
  }

  /**
   * The task of one group.
   *
   * @param groupId windowIndex · B + slot
   * @param attempt 0 for the first dispatch
   */
  public PromptTask task(long groupId, int attempt, AskedVersion asked) {
    long windowIndex = groupId / groupsPerWindow;
    int slot = (int) (groupId % groupsPerWindow);
    DatasetMix.Turn turn = mix.turn(groupId);
    PromptDataset dataset = datasets.get(turn.dataset());
    PromptWalk walk = walks.get(turn.dataset());
    int first = walk.index(turn.ordinal());
    int index = attempt == 0 ? first : walk.otherIndex(first, groupId, attempt);
    PromptExample example = dataset.prompts().get(index);
    return PromptTask.newBuilder()
        .setRunId(run.id())
        .setWindowIndex(windowIndex)
        .setSlot(slot)
        .setGroupId(groupId)
        .setAttempt(attempt)
        .setPromptId(dataset.name() + ":" + index)
        .setPrompt(example.prompt())
        .setReferenceAnswer(example.answer())
        .setReward(dataset.reward())
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
        .setMinPolicyVersion(asked.policyVersion())
        .setExactPolicyVersion(asked.exact() ? asked.policyVersion() : null)
        .setManifestOffset(asked.manifestOffset())
        .build();
  }
}
