package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupAdvantageTest {

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, 0.1, -0.3, 1e17, 1.0 / 3})
  void populationStdIsExactlyZeroWhenRewardsAreEqual(double reward) {
    for (int size = 1; size <= 17; size++) {
      double[] rewards = new double[size];
      Arrays.fill(rewards, reward);
      assertThat(GroupAdvantage.POPULATION_STD.of(rewards)).as("size %d", size).containsOnly(0.0);
    }
  }

  @Test
  void populationStdAgreesWithTheDefinitionOnRandomRewards() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      double[] rewards = random.doubles(1 + random.nextInt(16), 0, 1).toArray();
      double mean = Arrays.stream(rewards).sum() / rewards.length;
      double variance = Arrays.stream(rewards).map(r -> r * r).sum() / rewards.length - mean * mean;
      double std = Math.sqrt(Math.max(0, variance));
      double[] advantages = GroupAdvantage.POPULATION_STD.of(rewards);
      for (int i = 0; i < rewards.length; i++) {
        assertThat(advantages[i])
            .as("seed %d response %d", seed, i)
            .isCloseTo((rewards[i] - mean) / (std + 1e-6), within(1e-7));
      }
    }
  }
}
