package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroupAdvantageTest {

  @Test
  void idsAreThoseOfTheConfiguration() {
    assertThat(GroupAdvantage.values())
        .extracting(GroupAdvantage::id)
        .containsExactly("population-std", "sample-std", "mean-only", "leave-one-out");
  }

  @ParameterizedTest
  @EnumSource
  void ofIsExactlyZeroWhenRewardsAreEqual(GroupAdvantage advantage) {
    for (double reward : new double[] {0, 1, 0.1, -0.3, 1e17, 1.0 / 3}) {
      for (int size = 1; size <= 17; size++) {
        double[] rewards = new double[size];
        Arrays.fill(rewards, reward);
        assertThat(advantage.of(rewards)).as("%d of %s", size, reward).containsOnly(0.0);
      }
    }
  }

  /** Rewards 0, 1 and 5: mean 2, squares 4 + 1 + 9 = 14. */
  @Test
  void ofAgreesWithTheFiguresWorkedOutByHand() {
    double[] rewards = {0, 1, 5};
    double population = Math.sqrt(14.0 / 3) + 1e-6;
    double sample = Math.sqrt(7) + 1e-8;
    requireClose(
        GroupAdvantage.POPULATION_STD.of(rewards),
        -2 / population,
        -1 / population,
        3 / population);
    requireClose(GroupAdvantage.SAMPLE_STD.of(rewards), -2 / sample, -1 / sample, 3 / sample);
    requireClose(GroupAdvantage.MEAN_ONLY.of(rewards), -2, -1, 3);
    requireClose(GroupAdvantage.LEAVE_ONE_OUT.of(rewards), 0 - 3, 1 - 2.5, 5 - 0.5);
  }

  /** The spread of rewards far from 0 is not lost in the difference of their squares. */
  @ParameterizedTest
  @EnumSource
  void ofIsThatOfTheRewardsWithoutTheirOffset(GroupAdvantage advantage) {
    double[] rewards = {0, 0.25, 1.25};
    double[] offset = Arrays.stream(rewards).map(r -> 1e15 + r).toArray();
    assertThat(advantage.of(offset)).isEqualTo(advantage.of(rewards));
  }

  /** The mean of the others, taken as it is defined. */
  @Test
  void leaveOneOutComparesWithTheMeanOfTheOthers() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      double[] rewards = random.doubles(2 + random.nextInt(15), -1, 1).toArray();
      double[] advantages = GroupAdvantage.LEAVE_ONE_OUT.of(rewards);
      for (int i = 0; i < rewards.length; i++) {
        double others = 0;
        for (int j = 0; j < rewards.length; j++) {
          others += j == i ? 0 : rewards[j];
        }
        assertThat(advantages[i])
            .as("seed %d response %d", seed, i)
            .isCloseTo(rewards[i] - others / (rewards.length - 1), within(1e-14));
      }
    }
  }

  @Test
  void standardDeviationsAgreeWithTheDefinitionOnRandomRewards() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int size = 2 + random.nextInt(15);
      double[] rewards = random.doubles(size, 0, 1).toArray();
      double mean = Arrays.stream(rewards).sum() / size;
      double variance = Arrays.stream(rewards).map(r -> r * r).sum() / size - mean * mean;
      double[] population = GroupAdvantage.POPULATION_STD.of(rewards);
      double[] sample = GroupAdvantage.SAMPLE_STD.of(rewards);
      for (int i = 0; i < size; i++) {
        assertThat(population[i])
            .as("seed %d response %d", seed, i)
            .isCloseTo((rewards[i] - mean) / (Math.sqrt(variance) + 1e-6), within(1e-7));
        assertThat(sample[i])
            .as("seed %d response %d", seed, i)
            .isCloseTo(
                (rewards[i] - mean) / (Math.sqrt(variance * size / (size - 1)) + 1e-8),
                within(1e-7));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofRefusesAGroupWithoutResponses(GroupAdvantage advantage) {
    assertThatThrownBy(() -> advantage.of(new double[0]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without responses");
  }

  private static void requireClose(double[] found, double... expected) {
    assertThat(found).containsExactly(expected, within(1e-15));
  }
}
