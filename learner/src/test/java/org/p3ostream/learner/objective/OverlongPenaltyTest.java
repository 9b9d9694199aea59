package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverlongPenaltyTest {

  /** The figures of the paper: 16,384 tokens expected, a buffer of 4,096 on top. */
  @ParameterizedTest
  @CsvSource({
    "1, 0",
    "16384, 0",
    "16385, -0.000244140625",
    "18432, -0.5",
    "20480, -1",
    "20481, -1",
    "999999, -1"
  })
  void ofGrowsOverTheBuffer(int length, double expected) {
    assertThat(new OverlongPenalty(20480, 4096, 1).of(length)).isEqualTo(expected);
    assertThat(new OverlongPenalty(20480, 4096, 0.5).of(length)).isEqualTo(expected / 2);
  }

  @Test
  void ofMayUseTheWholeLengthAsItsBuffer() {
    OverlongPenalty penalty = new OverlongPenalty(10, 10, 2);
    assertThat(penalty.of(0)).isZero();
    assertThat(penalty.of(1)).isCloseTo(-0.2, within(1e-15));
    assertThat(penalty.of(10)).isEqualTo(-2);
  }

  @ParameterizedTest
  @CsvSource({"9", "10", "11"})
  void ofIsZeroWithoutABuffer(int length) {
    assertThat(new OverlongPenalty(10, 0, 1).of(length)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 1, maxTokens 0",
    "10, -1, 1, bufferTokens -1",
    "10, 11, 1, 'bufferTokens 11 is not in [0, 10]'",
    "10, 1, -0.1, factor -0.1",
    "10, 1, NaN, factor NaN",
    "10, 1, Infinity, factor Infinity"
  })
  void constructorNamesWhatIsOutOfRange(int max, int buffer, double factor, String message) {
    assertThatThrownBy(() -> new OverlongPenalty(max, buffer, factor))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void constructorTakesTheEndsOfTheRanges() {
    assertThat(new OverlongPenalty(1, 1, 0).of(1)).isZero();
  }
}
