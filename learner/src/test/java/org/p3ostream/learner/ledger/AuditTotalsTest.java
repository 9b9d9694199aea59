package org.p3ostream.learner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;

class AuditTotalsTest {

  private final AuditTotals totals = new AuditTotals();

  @Test
  void gapsOfRoundingAreWithinTheBounds() {
    assertThat(AuditTotals.isBeyond(gap(2e-7, 1e-6))).isFalse();
    assertThat(AuditTotals.isBeyond(gap(1e-3, 1e-2))).isFalse();
  }

  @Test
  void aLargeMeanOrALargeTailOrNoFigureIsBeyond() {
    assertThat(AuditTotals.isBeyond(gap(1.1e-3, 1e-6))).isTrue();
    assertThat(AuditTotals.isBeyond(gap(2e-7, 1.1e-2))).isTrue();
    assertThat(AuditTotals.isBeyond(gap(Double.POSITIVE_INFINITY, 0))).isTrue();
    assertThat(AuditTotals.isBeyond(gap(Double.NaN, 0))).isTrue();
  }

  @Test
  void producersBeyondABoundAreAddedUpUnderOneName() {
    for (int i = 0; i < AuditTotals.MOST_PRODUCERS + 5; i++) {
      totals.add(List.of(new BehaviorLogprobGap("p" + i, 1L, 0d, 0d, 0d)));
    }
    totals.add(List.of(new BehaviorLogprobGap("p0", 1L, 0d, 0d, 0d)));
    assertThat(totals.byProducer())
        .hasSize(AuditTotals.MOST_PRODUCERS + 1)
        .extracting(AuditTotals.Producer::tokens)
        .contains(5L, 2L);
  }

  @Test
  void addWeighsMeansByTokensAndCountsTheStepsBeyond() {
    totals.add(List.of(new BehaviorLogprobGap("b", 1L, 1e-7, 2e-7, 3e-7)));
    totals.add(
        List.of(
            new BehaviorLogprobGap("a", 300L, 1e-7, 3e-7, 4e-7),
            new BehaviorLogprobGap("b", 1L, 1e-7, 2e-7, 3e-7)));
    totals.add(List.of(new BehaviorLogprobGap("a", 100L, 0.5, 0.6, 0.7)));

    assertThat(totals.byProducer())
        .satisfiesExactly(
            a -> {
              assertThat(a.producerId()).isEqualTo("a");
              assertThat(a.tokens()).isEqualTo(400);
              assertThat(a.mean()).isCloseTo((300 * 1e-7 + 100 * 0.5) / 400, within(1e-15));
              assertThat(a.p99()).isEqualTo(0.6);
              assertThat(a.max()).isEqualTo(0.7);
              assertThat(a.stepsBeyond()).isEqualTo(1);
            },
            b -> assertThat(b).isEqualTo(new AuditTotals.Producer("b", 2, 1e-7, 2e-7, 3e-7, 0)));
  }

  @Test
  void withoutAnAuditThereIsNoProducer() {
    totals.add(List.of());

    assertThat(totals.byProducer()).isEmpty();
  }

  private static BehaviorLogprobGap gap(double mean, double p99) {
    return new BehaviorLogprobGap("producer-1", 100L, mean, p99, p99);
  }
}
