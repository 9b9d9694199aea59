package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.fixture.Records;

class StalenessTest {

  @Test
  void ofCountsTheTokensOfEachVersionAsTheEventDoes() {
    Staleness staleness =
        Staleness.of(
            Records.step(6).setRatioStatistics(Records.sampled(3, 5, 6, 20, 4, 0)).build());

    assertThat(staleness.tokens()).containsExactly(Map.entry(0L, 20L), Map.entry(3L, 5L));
    assertThat(staleness.count()).isEqualTo(25);
  }

  @Test
  void everyTokenWeighsAlike() {
    Staleness staleness = staleness(0, 1, 2, 7, 5, 2);

    assertThat(staleness.min()).isZero();
    assertThat(staleness.max()).isEqualTo(5);
    assertThat(staleness.mean()).isCloseTo((2 * 7 + 5 * 2) / 10.0, within(1e-15));
    assertThat(staleness.percentile(50)).isEqualTo(2);
  }

  @Test
  void percentileTakesNearestRankWhenTwentyTokensDiffer() {
    long[] oneToTwenty = new long[40];
    for (int i = 0; i < 20; i++) {
      oneToTwenty[2 * i] = i + 1;
      oneToTwenty[2 * i + 1] = 1;
    }

    assertThat(staleness(oneToTwenty).percentile(95)).isEqualTo(19);
    assertThat(staleness(oneToTwenty).percentile(50)).isEqualTo(10);
    assertThat(staleness(oneToTwenty).percentile(100)).isEqualTo(20);
    assertThat(staleness(oneToTwenty).percentile(1)).isEqualTo(1);
  }

  @Test
  void percentileTakesTheLargestAsP95WhenFewerThanTwentyTokens() {
    assertThat(staleness(0, 6, 5, 1).percentile(95)).isEqualTo(5);
    assertThat(staleness(0, 18, 5, 1).percentile(95)).isEqualTo(5);
    assertThat(staleness(0, 19, 5, 1).percentile(95)).isZero();
  }

  @Test
  void negativeValuesAreKeptWhenATokenComesFromTheFuture() {
    assertThat(staleness(-1, 1, 1, 1).min()).isEqualTo(-1);
    assertThat(staleness(-1, 1, 1, 1).mean()).isZero();
  }

  @Test
  void isEmptyWithoutAToken() {
    assertThat(staleness().isEmpty()).isTrue();
    assertThatThrownBy(() -> staleness().percentile(50)).hasMessageContaining("no token");
  }

  /** Pairs of staleness and tokens. */
  private static Staleness staleness(long... pairs) {
    TreeMap<Long, Long> tokens = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      tokens.put(pairs[i], pairs[i + 1]);
    }
    return new Staleness(tokens);
  }
}
