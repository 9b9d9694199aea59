package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DatasetMixTest {

  private static final long SEED = 42;

  /** Among them weights for which the largest deficit first falls behind by more than one. */
  static Stream<List<Double>> weights() {
    SplittableRandom random = new SplittableRandom(SEED);
    Stream<List<Double>> drawn =
        IntStream.range(0, 40)
            .mapToObj(
                i ->
                    IntStream.range(0, 2 + i % 12)
                        .mapToObj(j -> Math.exp(4 * random.nextDouble()))
                        .toList());
    return Stream.concat(
        Stream.of(
            List.of(1.0),
            List.of(3.0, 1.0),
            List.of(0.7, 0.3),
            List.of(1.0, 1.0, 1.0),
            List.of(1e-9, 1e9),
            List.of(1e-300, 1e300),
            List.of(50.0, 20.0, 12.0, 7.0, 4.0, 3.0, 2.0, 1.0, 1.0)),
        drawn);
  }

  @ParameterizedTest
  @MethodSource("weights")
  void countsAreWithinOneOfTheWeightsAfterEveryWindow(List<Double> weights) {
    for (int groupsPerWindow : new int[] {1, 4, 7}) {
      DatasetMix mix = new DatasetMix(SEED, weights, groupsPerWindow);
      double sum = weights.stream().mapToDouble(Double::doubleValue).sum();
      long[] counts = new long[weights.size()];
      for (long groupId = 0; groupId < 7000; groupId++) {
        counts[mix.turn(groupId).dataset()]++;
        if ((groupId + 1) % groupsPerWindow == 0) {
          for (int i = 0; i < counts.length; i++) {
            assertThat(Math.abs(counts[i] - (groupId + 1) * weights.get(i) / sum))
                .as("data set %d of %s after group %d", i, weights, groupId)
                .isLessThan(1 + 1e-4); // for weights that are rounded to 2^-30
          }
        }
      }
    }
  }

  @Test
  void countsAreExactAfterEveryRoundOfTheSmallestWholeWeights() {
    DatasetMix mix = new DatasetMix(SEED, List.of(0.5, 0.3, 0.2), 5);
    long[] counts = new long[3];
    for (long groupId = 0; groupId < 10_000; groupId++) {
      counts[mix.turn(groupId).dataset()]++;
      if ((groupId + 1) % 10 == 0) {
        long rounds = (groupId + 1) / 10;
        assertThat(counts).containsExactly(5 * rounds, 3 * rounds, 2 * rounds);
      }
    }
  }

  @Test
  void ordinalsCountTheGroupsOfADataSetWithoutGaps() {
    DatasetMix mix = new DatasetMix(SEED, List.of(3.0, 2.0, 2.0), 8);
    long[] counts = new long[3];
    for (long groupId = 0; groupId < 5000; groupId++) {
      DatasetMix.Turn turn = mix.turn(groupId);
      assertThat(turn.ordinal()).isEqualTo(counts[turn.dataset()]++);
    }
  }

  @Test
  void turnDoesNotDependOnTheOrderOfAsking() {
    DatasetMix forward = new DatasetMix(SEED, List.of(3.0, 2.0, 2.0), 4);
    List<DatasetMix.Turn> ascending = new ArrayList<>();
    for (long groupId = 0; groupId < 200; groupId++) {
      ascending.add(forward.turn(groupId));
    }
    DatasetMix anyOrder = new DatasetMix(SEED, List.of(3.0, 2.0, 2.0), 4);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) {
      int groupId = random.nextInt(200);
      assertThat(anyOrder.turn(groupId)).as("group %d", groupId).isEqualTo(ascending.get(groupId));
    }
    assertThat(new DatasetMix(SEED, List.of(1.0, 3.0), 8).turn(8_000_000_000_000L).ordinal())
        .isBetween(1_999_999_999_000L, 6_000_000_001_000L);
  }

  /** A pattern in step with the partitions would send a data set to one producer only. */
  @Test
  void everyPartitionGetsEveryDataSet() {
    DatasetMix mix = new DatasetMix(SEED, List.of(7.0, 1.0), 8);
    Set<Long> partitions = new HashSet<>();
    for (long groupId = 0; groupId < 800; groupId++) {
      if (mix.turn(groupId).dataset() == 1) {
        partitions.add(groupId % 8);
      }
    }
    assertThat(partitions).hasSize(8);
  }

  @Test
  void orderInsideAWindowDependsOnTheRunSeed() {
    DatasetMix one = new DatasetMix(1, List.of(1.0, 1.0), 8);
    DatasetMix other = new DatasetMix(2, List.of(1.0, 1.0), 8);
    List<Integer> ofOne = IntStream.range(0, 64).mapToObj(g -> one.turn(g).dataset()).toList();
    List<Integer> ofOther = IntStream.range(0, 64).mapToObj(g -> other.turn(g).dataset()).toList();
    assertThat(ofOther).isNotEqualTo(ofOne);
  }

  @Test
  void sharesAreTheSmallestWholeNumbersWhereTheyFit() {
    assertThat(DatasetShares.of(List.of(3.0, 1.0))).containsExactly(3, 1);
    assertThat(DatasetShares.of(List.of(0.1, 0.2))).containsExactly(1, 2);
    assertThat(DatasetShares.of(List.of(2.5, 7.5, 5.0))).containsExactly(1, 3, 2);
    assertThat(DatasetShares.of(List.of(42.0))).containsExactly(1);
  }

  @Test
  void sharesAreRoundedAndNeverZeroWhereTheyDoNotFit() {
    long[] thirds = DatasetShares.of(List.of(1 / 3.0, 2 / 3.0));
    assertThat((double) thirds[1] / (thirds[0] + thirds[1])).isCloseTo(2 / 3.0, within(1e-8));
    assertThat(DatasetShares.of(List.of(1e-300, 1e300))).containsExactly(1, 1 << 30);
    assertThat(DatasetShares.of(List.of(Double.MIN_VALUE, Double.MAX_VALUE, Double.MAX_VALUE)))
        .containsExactly(1, 1 << 29, 1 << 29);
  }
}
