package org.p3ostream.learner.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;

class BehaviorAuditTest {

  private final BehaviorAudit audit = new BehaviorAudit();

  @Test
  void byProducerSumsUpEachProducerByItself() {
    for (int i = 200; i >= 1; i--) {
      audit.add("b", -2 + (i % 2 == 0 ? 1 : -1) * i / 1000.0, -2);
    }
    audit.add("a", -1, -1.5);
    assertThat(audit.byProducer())
        .satisfiesExactly(
            a -> assertThat(a).isEqualTo(new BehaviorLogprobGap("a", 1L, 0.5, 0.5, 0.5)),
            b -> {
              assertThat(b.getProducerId()).isEqualTo("b");
              assertThat(b.getTokens()).isEqualTo(200);
              assertThat(b.getMean()).isCloseTo(0.1005, within(1e-12));
              assertThat(b.getP99()).isCloseTo(0.198, within(1e-12)); // 198th of 200
              assertThat(b.getMax()).isCloseTo(0.2, within(1e-12));
            });
  }

  @Test
  void aGapThatIsNotANumberIsInfinite() {
    audit.add("a", -1, Double.NaN);
    assertThat(audit.byProducer().get(0).getMean()).isInfinite();
  }

  @Test
  void producersWithTheFewestTokensAreTakenTogetherWhenThereAreTooMany() {
    for (int i = 0; i < 100; i++) {
      String producer = "p%03d".formatted(i);
      audit.add(producer, -1, -1.25);
      if (i >= 50) {
        audit.add(producer, -1, -1.25);
      }
    }
    assertThat(audit.byProducer())
        .hasSize(BehaviorAudit.MOST_PRODUCERS + 1)
        .contains(new BehaviorLogprobGap(BehaviorAudit.OTHERS, 36L, 0.25, 0.25, 0.25))
        .contains(new BehaviorLogprobGap("p050", 2L, 0.25, 0.25, 0.25))
        .contains(new BehaviorLogprobGap("p013", 1L, 0.25, 0.25, 0.25))
        .extracting(BehaviorLogprobGap::getProducerId)
        .doesNotContain("p014", "p049");
  }

  @Test
  void byProducerIsEmptyWhenNothingWasCompared() {
    assertThat(audit.byProducer()).isEmpty();
  }
}
