package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.snapshot.WeightsDigest;

class PromptScheduleTest {

  private static final int GROUPS_PER_WINDOW = 4;
  private static final List<PromptExample> PROMPTS = SyntheticTask.SORT8.generate(30, 1);

  @Test
  void taskIsAFunctionOfTheRunSeedAndThePositionWhateverTheOrderOfAsking() {
    PromptSchedule forward = schedule("run-a", 42);
    PromptSchedule backward = schedule("run-a", 42);
    List<PromptTask> ascending = new ArrayList<>();
    for (long groupId = 0; groupId < 100; groupId++) {
      ascending.add(forward.task(groupId, 0, new AskedVersion(2, true, null)));
    }
    for (int groupId = 99; groupId >= 0; groupId--) {
      assertThat(backward.task(groupId, 0, new AskedVersion(2, true, null)))
          .isEqualTo(ascending.get(groupId));
    }
  }

  @Test
  void taskDoesNotDependOnTheRunId() {
    for (long groupId = 0; groupId < 40; groupId++) {
      for (int attempt = 0; attempt < 3; attempt++) {
        PromptTask one =
            schedule("run-a", 42).task(groupId, attempt, new AskedVersion(0, true, null));
        PromptTask other =
            schedule("run-b", 42).task(groupId, attempt, new AskedVersion(0, true, null));
        assertThat(other.getRunId()).isEqualTo("run-b");
        other.put(PromptTask.getClassSchema().getField("runId").pos(), "run-a");
        assertThat(other).isEqualTo(one);
      }
    }
  }

  @Test
  void taskNamesItsPositionAndCarriesTheSamplingAskedFor() {
    PromptTask task = schedule("run-a", 42).task(11, 0, new AskedVersion(5, true, null));
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
    PromptTask exact = schedule("run-a", 42).task(0, 0, new AskedVersion(5, true, null));
    assertThat(exact.getMinPolicyVersion()).isEqualTo(5);
    assertThat(exact.getExactPolicyVersion()).isEqualTo(5);
    PromptTask atLeast = schedule("run-a", 42).task(0, 0, new AskedVersion(5, false, null));
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
        ids.add(
            schedule
                .task((long) epoch * PROMPTS.size() + i, 0, new AskedVersion(0, true, null))
                .getPromptId());
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
      PromptTask a = schedule("run-a", 1).task(groupId, 0, new AskedVersion(0, true, null));
      PromptTask b = schedule("run-a", 2).task(groupId, 0, new AskedVersion(0, true, null));
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
      PromptTask first = schedule.task(groupId, 0, new AskedVersion(0, true, null));
      Set<Long> seeds = new HashSet<>(Set.of(first.getSeed()));
      for (int attempt = 1; attempt < 4; attempt++) {
        PromptTask later = schedule.task(groupId, attempt, new AskedVersion(0, true, null));
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
            List.of(dataset("train", 1, List.of(new PromptExample("1=", "1")))),
            GROUPS_PER_WINDOW);
    assertThat(schedule.task(3, 1, new AskedVersion(0, true, null)).getPromptId())
        .isEqualTo("train:0");
  }

  /**
   * Digest of 3,000 tasks as they were when there could be one data set only, min-p was off and
   * stop strings were unknown.
   */
  @Test
  void oneDataSetNamedTrainIsServedAsEver() {
    PromptSchedule schedule = schedule("run-a", 42);
    StringJoiner tasks = new StringJoiner("\n");
    for (long groupId = 0; groupId < 1000; groupId++) {
      for (int attempt = 0; attempt < 3; attempt++) {
        String task = schedule.task(groupId, attempt, new AskedVersion(2, true, null)).toString();
        tasks.add(
            task.replaceFirst("\"minP\": 0.05", "\"minP\": 0.0")
                .replaceFirst(", \"stopStrings\": \\[[^]]*]", ""));
      }
    }
    assertThat(WeightsDigest.sha256(tasks.toString().getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("7c4fd3fdf836acd4777047b8a7e3487d5f69424c97dba8476837da52a9f3861a");
  }

  @Test
  void everyDataSetIsWalkedEpochByEpochWithItsOwnReward() {
    PromptSchedule schedule = mixed(3, 1, 30, 7);
    Map<String, List<String>> ids = new TreeMap<>();
    for (long groupId = 0; groupId < 4 * 30 * 4; groupId++) {
      PromptTask task = schedule.task(groupId, 0, new AskedVersion(0, true, null));
      String name = task.getPromptId().substring(0, task.getPromptId().indexOf(':'));
      assertThat(task.getReward()).isEqualTo(name.equals("sums") ? "numeric" : "exact-match");
      ids.computeIfAbsent(name, key -> new ArrayList<>()).add(task.getPromptId());
    }
    assertThat(ids.get("sums")).hasSize(360);
    assertThat(ids.get("sorting")).hasSize(120);
    assertOncePerEpoch(ids.get("sums"), 30);
    assertOncePerEpoch(ids.get("sorting"), 7);
  }

  @Test
  void wayThroughADataSetDoesNotDependOnTheOthersNorOnTheirOrder() {
    List<String> alone = promptsOf("sums", mixed(List.of(sums(1, 30))), 60);
    assertThat(promptsOf("sums", mixed(List.of(sums(3, 30), sorting(1, 9))), 60)).isEqualTo(alone);
    assertThat(promptsOf("sums", mixed(List.of(sorting(5, 9), sums(1, 30))), 60)).isEqualTo(alone);
    PromptSchedule one = mixed(List.of(sums(2, 30), sorting(1, 9)));
    PromptSchedule other = mixed(List.of(sorting(1, 9), sums(2, 30)));
    for (long groupId = 0; groupId < 200; groupId++) {
      assertThat(other.task(groupId, 0, new AskedVersion(0, true, null)))
          .isEqualTo(one.task(groupId, 0, new AskedVersion(0, true, null)));
    }
  }

  @Test
  void dataSetsOfEqualSizeAreWalkedInDifferentOrders() {
    PromptSchedule schedule = mixed(1, 1, 30, 30);
    List<String> sums = promptsOf("sums", schedule, 30);
    List<String> sorting = promptsOf("sorting", schedule, 30);
    assertThat(sorting.stream().map(id -> id.replace("sorting", "sums"))).isNotEqualTo(sums);
  }

  @Test
  void laterAttemptsDrawAnotherPromptOfTheSameDataSet() {
    PromptSchedule schedule = mixed(3, 1, 30, 2);
    for (long groupId = 0; groupId < 200; groupId++) {
      String first = schedule.task(groupId, 0, new AskedVersion(0, true, null)).getPromptId();
      for (int attempt = 1; attempt < 4; attempt++) {
        assertThat(schedule.task(groupId, attempt, new AskedVersion(0, true, null)).getPromptId())
            .isNotEqualTo(first)
            .startsWith(first.substring(0, first.indexOf(':') + 1));
      }
    }
  }

  @Test
  void taskOfSeveralDataSetsIsAFunctionOfThePositionWhateverTheOrderOfAsking() {
    PromptSchedule forward = mixed(0.7, 0.3, 30, 7);
    PromptSchedule backward = mixed(0.7, 0.3, 30, 7);
    List<PromptTask> ascending = new ArrayList<>();
    for (long groupId = 0; groupId < 100; groupId++) {
      ascending.add(forward.task(groupId, 0, new AskedVersion(2, true, null)));
    }
    for (int groupId = 99; groupId >= 0; groupId--) {
      assertThat(backward.task(groupId, 0, new AskedVersion(2, true, null)))
          .isEqualTo(ascending.get(groupId));
    }
  }

  private static void assertOncePerEpoch(List<String> ids, int size) {
    for (int epoch = 0; (epoch + 1) * size <= ids.size(); epoch++) {
      assertThat(new HashSet<>(ids.subList(epoch * size, (epoch + 1) * size)))
          .as("epoch %d", epoch)
          .hasSize(size);
    }
    assertThat(ids.subList(0, size)).isNotEqualTo(ids.subList(size, 2 * size));
  }

  private static List<String> promptsOf(String name, PromptSchedule schedule, int count) {
    return LongStream.iterate(0, groupId -> groupId + 1)
        .mapToObj(
            groupId -> schedule.task(groupId, 0, new AskedVersion(0, true, null)).getPromptId())
        .filter(id -> id.startsWith(name + ":"))
        .limit(count)
        .toList();
  }

  private static PromptDataset sums(double weight, int size) {
    return new PromptDataset("sums", "numeric", weight, SyntheticTask.CSUM8.generate(size, 1));
  }

  private static PromptDataset sorting(double weight, int size) {
    return dataset("sorting", weight, SyntheticTask.SORT8.generate(size, 1));
  }

  private static PromptDataset dataset(String name, double weight, List<PromptExample> prompts) {
    return new PromptDataset(name, "exact-match", weight, prompts);
  }

  private static PromptSchedule mixed(double sums, double sorting, int size, int sortingSize) {
    return mixed(List.of(sums(sums, size), sorting(sorting, sortingSize)));
  }

  private static PromptSchedule mixed(List<PromptDataset> datasets) {
    return new PromptSchedule(
        new RunConfig("run-a", 42, "p3o."), SamplingConfig.defaults(), datasets, GROUPS_PER_WINDOW);
  }

  private static PromptSchedule schedule(String runId, long seed) {
    return new PromptSchedule(
        new RunConfig(runId, seed, "p3o."),
        new SamplingConfig(6, 0.8, 5, 0.9, 0.05, List.of("\n", "#"), 12),
        List.of(dataset("train", 1, PROMPTS)),
        GROUPS_PER_WINDOW);
  }
}
