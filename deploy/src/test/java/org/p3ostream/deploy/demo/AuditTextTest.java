package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.ledger.AuditTotals.Producer;

class AuditTextTest {

  @Test
  void gapsOfRoundingAreToldOverAllProducers() {
    assertThat(
            AuditText.of(
                List.of(
                    new Producer("1", 900, 1e-7, 2e-6, 2e-6, 0),
                    new Producer("2", 300, 5e-7, 2e-6, 3e-6, 0))))
        .isEqualTo(
            "audited: mean gap 2.0e-07, max 3.0e-06 nats over 1,200 tokens, every producer within bounds");
  }

  @Test
  void producersBeyondTheBoundsAreNamed() {
    assertThat(
            AuditText.of(
                List.of(
                    new Producer("1", 900, 1e-7, 2e-6, 2e-6, 0),
                    new Producer("2", 900, 0.1, 0.3, 0.4, 7))))
        .endsWith("over 1,800 tokens, beyond the bounds: producer 2 in 7 steps");
  }
}
