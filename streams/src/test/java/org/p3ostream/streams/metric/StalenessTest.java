package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StalenessTest {

  @Test
  void ofIsTheValueItselfWhenThereIsOneGroup() {
    assertThat(Staleness.of(new long[] {3})).isEqualTo(new Staleness(3, 3.0, 3, 3));
  }

  @Test
  void ofTakesNearestRankWhenTwentyGroupsDiffer() {
    long[] oneToTwenty = LongStream.rangeClosed(1, 20).toArray();

    assertThat(Staleness.of(oneToTwenty)).isEqualTo(new Staleness(1, 10.5, 19, 20));
  }

  @Test
  void ofTakesTheLargestAsP95WhenFewerThanTwentyGroups() {
    assertThat(Staleness.of(new long[] {1, 0, 5, 0, 0, 0, 0, 0}).p95()).isEqualTo(5);
  }

  @Test
  void ofKeepsNegativeValuesWhenAGroupComesFromTheFuture() {
    assertThat(Staleness.of(new long[] {1, -1})).isEqualTo(new Staleness(-1, 0.0, 1, 1));
  }

  @Test
  void ofLeavesItsArgumentAsItWas() {
    long[] perGroup = {2, 1};

    Staleness.of(perGroup);

    assertThat(perGroup).containsExactly(2, 1);
  }

  @Test
  void ofThrowsWhenThereIsNoGroup() {
    assertThatThrownBy(() -> Staleness.of(new long[0])).hasMessageContaining("no group");
  }
}
