package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.schemas.avro.PromptTask;

class PromptScheduleTest {

  private static final int GROUPS_PER_WINDOW = 4;
  private static final List<PromptExample> PROMPTS = SyntheticTask.SORT8.generate(30, 1);

  @Test
  void taskIsAFunctionOfTheRunSeedAndThePositionWhateverTheOrderOfAsking() {
    PromptSchedule forward = schedule("run-a", 42);
    PromptSchedule backward = schedule("run-a", 42);
    List<PromptTask> ascending = new ArrayList<>();
    for (long groupId = 0; groupId < 100; groupId++) {
      ascending.add(forward.task(groupId, 0, 2, true));
    }
    for (int groupId = 99; groupId >= 0; groupId--) {
      assertThat(backward.task(groupId, 0, 2, true)).isEqualTo(ascending.get(groupId));
    }
  }

  @Test
  void taskDoesNotDependOnTheRunId() {
    for (long groupId = 0; groupId < 40; groupId++) {
      for (int attempt = 0; attempt < 3; attempt++) {
        PromptTask one = schedule("run-a", 42).task(groupId, attempt, 0, true);
        PromptTask other = schedule("run-b", 42).task(groupId, attempt, 0, true);
        assertThat(other.getRunId()).isEqualTo("run-b");
        other.put(PromptTask.getClassSchema().getField("runId").pos(), "run-a");
        assertThat(other).isEqualTo(one);
      }
    }
  }

  @Test
  void taskNamesItsPositionAndCarriesTheSamplingAskedFor() {
    PromptTask task = schedule("run-a", 42).task(11, 0, 5, true);
    assertThat(task.getWindowIndex()).isEqualTo(2);
    assertThat(task.getSlot()).isEqualTo(3);
    assertThat(task.getGroupId()).isEqualTo(11);
    assertThat(task.getReward()).isEqualTo("exact-match");
    assertThat(task.getSamplesPerGroup()).isEqualTo(6);
    assertThat(task.getSampling().getTemperature()).isEqualTo(0.8);
    assertThat(task.getSampling().getTopK()).isEqualTo(5);
    assertThat(task.getSampling().getTopP()).isEqualTo(0.9);
    assertThat(task.getSampling().getMinP()).isEqualTo(0.05);
    assertThat(task.getSampling().getStopStrings()).containsExactly("\n", "#");
    assertThat(task.getSampling().getMaxResponseTokens()).isEqualTo(12);
    int index = Integer.parseInt(task.getPromptId().substring("train:".length()));
    assertThat(task.getPrompt()).isEqualTo(PROMPTS.get(index).prompt());
    assertThat(task.getReferenceAnswer()).isEqualTo(PROMPTS.get(index).answer());
  }

  @Test
  void taskAsksForAnExactVersionOnlyInLockstep() {
    PromptTask exact = schedule("run-a", 42).task(0, 0, 5, true);
    assertThat(exact.getMinPolicyVersion()).isEqualTo(5);
    assertThat(exact.getExactPolicyVersion()).isEqualTo(5);
    PromptTask atLeast = schedule("run-a", 42).task(0, 0, 5, false);
    assertThat(atLeast.getMinPolicyVersion()).isEqualTo(5);
    assertThat(atLeast.getExactPolicyVersion()).isNull();
  }

  @Test
  void firstAttemptsVisitEveryPromptOncePerEpochInAnotherOrder() {
    PromptSchedule schedule = schedule("run-a", 42);
    List<List<String>> epochs = new ArrayList<>();
    for (int epoch = 0; epoch < 3; epoch++) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < PROMPTS.size(); i++) {
        ids.add(schedule.task((long) epoch * PROMPTS.size() + i, 0, 0, true).getPromptId());
      }
      assertThat(new HashSet<>(ids)).as("epoch %d", epoch).hasSize(PROMPTS.size());
      epochs.add(ids);
    }
    assertThat(new HashSet<>(epochs)).hasSize(3);
  }

  @Test
  void seedsOfDifferentRunsGiveOtherPromptsAndOtherSeeds() {
    List<String> one = new ArrayList<>();
    List<String> other = new ArrayList<>();
    Set<Long> seeds = new HashSet<>();
    for (long groupId = 0; groupId < 30; groupId++) {
      PromptTask a = schedule("run-a", 1).task(groupId, 0, 0, true);
      PromptTask b = schedule("run-a", 2).task(groupId, 0, 0, true);
      one.add(a.getPromptId());
      other.add(b.getPromptId());
      seeds.add(a.getSeed());
      seeds.add(b.getSeed());
    }
    assertThat(other).isNotEqualTo(one);
    assertThat(seeds).hasSize(60);
  }

  @Test
  void laterAttemptsDrawAnotherPromptAndAnotherSeed() {
    PromptSchedule schedule = schedule("run-a", 42);
    for (long groupId = 0; groupId < 300; groupId++) {
      PromptTask first = schedule.task(groupId, 0, 0, true);
      Set<Long> seeds = new HashSet<>(Set.of(first.getSeed()));
      for (int attempt = 1; attempt < 4; attempt++) {
        PromptTask later = schedule.task(groupId, attempt, 0, true);
        assertThat(later.getAttempt()).isEqualTo(attempt);
        assertThat(later.getPromptId())
            .as("group %d attempt %d", groupId, attempt)
            .isNotEqualTo(first.getPromptId());
        assertThat(seeds.add(later.getSeed())).isTrue();
      }
    }
  }

  @Test
  void laterAttemptsRepeatThePromptWhenThereIsOnlyOne() {
    PromptSchedule schedule =
        new PromptSchedule(
            new RunConfig("run-a", 1, "p3o."),
            SamplingConfig.defaults(),
            List.of(new PromptExample("1=", "1")),
            "exact-match",
            GROUPS_PER_WINDOW);
    assertThat(schedule.task(3, 1, 0, true).getPromptId()).isEqualTo("train:0");
  }

  private static PromptSchedule schedule(String runId, long seed) {
    return new PromptSchedule(
        new RunConfig(runId, seed, "p3o."),
        new SamplingConfig(6, 0.8, 5, 0.9, 0.05, List.of("\n", "#"), 12),
        PROMPTS,
        "exact-match",
        GROUPS_PER_WINDOW);
  }
}
