package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class BrokerSilenceTest {

  private final TimeoutException noAnswer = new TimeoutException("no answer");

  @Test
  void unansweredGivesTheSilenceUpToTheDeadline() {
    BrokerSilence silence = new BrokerSilence(120_000, 1_000);
    assertThat(silence.unanswered(31_000, noAnswer)).isEqualTo(30_000);
    assertThat(silence.unanswered(121_000, noAnswer)).isEqualTo(120_000);
  }

  @Test
  void unansweredThrowsBeyondTheDeadline() {
    BrokerSilence silence = new BrokerSilence(120_000, 1_000);
    assertThatThrownBy(() -> silence.unanswered(121_001, noAnswer))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the broker has not answered for 120 s; a restart continues")
        .hasCause(noAnswer);
  }

  @Test
  void answeredBeginsTheSilenceAnew() {
    BrokerSilence silence = new BrokerSilence(120_000, 1_000);
    silence.answered(100_000);
    assertThat(silence.unanswered(200_000, noAnswer)).isEqualTo(100_000);
  }
}
