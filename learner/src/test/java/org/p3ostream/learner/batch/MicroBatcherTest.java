package org.p3ostream.learner.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.objective.GroupAdvantage;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.TrainingResponse;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.VersionSegment;

class MicroBatcherTest {

  private static final int PAD = 13;

  /** One prompt of 4 tokens with responses of 5 and 3, the longest of which needs 8 columns. */
  @Test
  void cutLaysOutPromptAndResponseWithoutTheLastTokenAndPadsToTheRight() {
    RolloutGroup record =
        RolloutGroup.newBuilder(RolloutGroups.good(0, 0, 0, 0))
            .setPromptTokens(List.of(1, 2, 3, 4))
            .build();
    record = RolloutGroups.withResponse(record, 0, b -> b.setTokens(List.of(5, 6, 7, 8, 9)));
    record =
        RolloutGroups.withResponse(
            record,
            1,
            b ->
                b.setTokens(List.of(10, 11, 12))
                    .setLossMask(List.of(true, false, true))
                    .setVersionSegments(
                        List.of(new VersionSegment(0, 0L), new VersionSegment(2, 1L))));
    List<MicroBatch> batches =
        new MicroBatcher(100, PAD).cut(RandomWindows.window(List.of(record)));

    assertThat(batches).hasSize(1);
    MicroBatch batch = batches.get(0);
    assertThat(batch.rows).isEqualTo(2);
    assertThat(batch.columns).isEqualTo(8);
    assertThat(batch.ids).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 10, 11, PAD, PAD);
    assertThat(batch.positions).containsExactly(3, 4, 5, 6, 7, 11, 13);
    assertThat(batch.targets).containsExactly(5, 6, 7, 8, 9, 10, 12);
    assertThat(batch.policyVersions).containsExactly(0, 0, 0, 0, 0, 0, 1);
    assertThat(batch.validTokens()).isEqualTo(7);
    assertThat(batch.paddedTokens()).isEqualTo(16);
    double[] advantages = GroupAdvantage.POPULATION_STD.of(new double[] {1, 0});
    assertThat(batch.advantages[4]).isEqualTo(advantages[0]);
    assertThat(batch.advantages[5]).isEqualTo(advantages[1]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 20, 37, 64, 100_000})
  void cutAgreesWithARowByRowOracle(int tokenBudget) {
    for (long seed = 0; seed < 20; seed++) {
      Window window = RandomWindows.window(seed);
      List<MicroBatch> batches = new MicroBatcher(tokenBudget, PAD).cut(window);
      List<Row> rows = rows(window);
      int next = 0;
      for (MicroBatch batch : batches) {
        String description = "seed %d row %d".formatted(seed, next);
        List<Row> taken = rows.subList(next, next + batch.rows);
        next += batch.rows;
        int longest = taken.stream().mapToInt(row -> row.ids.size()).max().orElseThrow();
        assertThat(batch.columns).as(description).isEqualTo(longest);
        if (batch.rows > 1) {
          assertThat(batch.paddedTokens()).as(description).isLessThanOrEqualTo(tokenBudget);
        }
        if (next < rows.size()) {
          int widened = Math.max(longest, rows.get(next).ids.size());
          assertThat(widened * (batch.rows + 1)).as(description).isGreaterThan(tokenBudget);
        }
        requireContents(batch, taken, description);
      }
      assertThat(next).isEqualTo(rows.size());
      assertThat(batches.stream().mapToLong(MicroBatch::validTokens).sum())
          .isEqualTo(window.validTokens());
    }
  }

  @Test
  void cutGivesAResponseLongerThanTheBudgetAMicroBatchOfItsOwn() {
    List<MicroBatch> batches = new MicroBatcher(1, PAD).cut(RandomWindows.window(3));
    assertThat(batches).hasSize(RandomWindows.GROUPS * RandomWindows.SAMPLES);
    assertThat(batches).allMatch(batch -> batch.rows == 1);
  }

  private static void requireContents(MicroBatch batch, List<Row> rows, String description) {
    List<Long> targets = new ArrayList<>();
    List<Long> positions = new ArrayList<>();
    List<Double> behavior = new ArrayList<>();
    List<Double> advantages = new ArrayList<>();
    List<Long> versions = new ArrayList<>();
    for (int b = 0; b < rows.size(); b++) {
      Row row = rows.get(b);
      for (int c = 0; c < batch.columns; c++) {
        long expected = c < row.ids.size() ? row.ids.get(c) : PAD;
        assertThat(batch.ids[b * batch.columns + c]).as(description).isEqualTo(expected);
      }
      TrainingResponse response = row.response;
      for (int t = 0; t < response.length(); t++) {
        if (response.isValid(t)) {
          targets.add((long) response.token(t));
          positions.add((long) b * batch.columns + row.promptLength - 1 + t);
          behavior.add((double) response.behaviorLogprob(t));
          advantages.add(row.advantage);
          versions.add(response.policyVersion(t));
        }
      }
    }
    assertThat(batch.targets).as(description).containsExactly(longs(targets));
    assertThat(batch.positions).as(description).containsExactly(longs(positions));
    assertThat(batch.behaviorLogprobs).as(description).containsExactly(doubles(behavior));
    assertThat(batch.advantages).as(description).containsExactly(doubles(advantages));
    assertThat(batch.policyVersions).as(description).containsExactly(longs(versions));
  }

  private static final class Row {
    final List<Integer> ids = new ArrayList<>();
    final int promptLength;
    final TrainingResponse response;
    final double advantage;

    Row(TrainingGroup group, int index) {
      for (int token : group.promptTokens()) {
        ids.add(token);
      }
      promptLength = ids.size();
      response = group.responses().get(index);
      for (int t = 0; t + 1 < response.length(); t++) {
        ids.add(response.token(t));
      }
      advantage = GroupAdvantage.POPULATION_STD.of(group.rewards())[index];
    }
  }

  private static List<Row> rows(Window window) {
    List<Row> rows = new ArrayList<>();
    for (TrainingGroup group : window.groups()) {
      for (int i = 0; i < group.responses().size(); i++) {
        rows.add(new Row(group, i));
      }
    }
    return rows;
  }

  private static long[] longs(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  private static double[] doubles(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
