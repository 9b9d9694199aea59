package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OutageTest {

  private final RuntimeException refused = new IllegalStateException("connection refused");
  private final Outage outage = new Outage("the broker", 10_000);

  @Test
  void failedThrowsWhenTheDeadlineIsOver() {
    outage.failed(refused, 1_000);
    outage.failed(refused, 10_999);

    assertThatThrownBy(() -> outage.failed(refused, 11_000))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("the broker has failed for 10 s: connection refused")
        .hasCause(refused);
  }

  @Test
  void failedCountsFromAnewAfterARecovery() {
    outage.failed(refused, 1_000);
    outage.recovered();

    assertThat(outage.lasts()).isFalse();
    assertThatCode(() -> outage.failed(refused, 11_000)).doesNotThrowAnyException();
    assertThat(outage.lasts()).isTrue();
  }
}
