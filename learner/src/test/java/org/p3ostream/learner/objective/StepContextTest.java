package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepContextTest {

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -1e-9, 1.0000001, Double.POSITIVE_INFINITY})
  void essOutsideTheUnitIntervalIsRefused(double ess) {
    assertThatThrownBy(() -> new StepContext(ess, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("normalizedEss " + ess);
  }

  @Test
  void stepWithoutValidTokensIsRefused() {
    assertThatThrownBy(() -> new StepContext(0.5, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tokenBatchOfDifferentLengthsIsRefusedWithTheLengths() {
    assertThatThrownBy(
            () -> new TokenBatch(new double[3], new double[3], new double[2], new boolean[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("logprobs 3, behaviorLogprobs 3, advantages 2, valid 3");
    assertThatThrownBy(
            () -> new TokenBatch(new double[3], new double[4], new double[3], new boolean[3]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> new TokenBatch(new double[3], new double[3], new double[3], new boolean[1]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
