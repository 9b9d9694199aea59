package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;

class LogprobAuditTest {

  @Test
  void gapsOfRoundingAreWithinTheBounds() {
    assertThat(LogprobAudit.isBeyond(gap(2e-7, 1e-6))).isFalse();
    assertThat(LogprobAudit.isBeyond(gap(1e-3, 1e-2))).isFalse();
  }

  @Test
  void aLargeMeanOrALargeTailOrNoFigureIsBeyond() {
    assertThat(LogprobAudit.isBeyond(gap(1.1e-3, 1e-6))).isTrue();
    assertThat(LogprobAudit.isBeyond(gap(2e-7, 1.1e-2))).isTrue();
    assertThat(LogprobAudit.isBeyond(gap(Double.POSITIVE_INFINITY, 0))).isTrue();
    assertThat(LogprobAudit.isBeyond(gap(Double.NaN, 0))).isTrue();
  }

  private static BehaviorLogprobGap gap(double mean, double p99) {
    return new BehaviorLogprobGap("producer-1", 100L, mean, p99, p99);
  }
}
