package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusLineTest {

  private static ProducerStatus status(long groups, long tokens, String waitingFor) {
    return new ProducerStatus(groups, 1, 4 * groups, tokens, 0, 0, 0, 0, 0, 0, 7, waitingFor);
  }

  @Test
  void writeTellsWhatIsNewSinceTheLastLine() {
    StatusLine line = new StatusLine(10_000, 0);

    assertThat(line.write(status(8, 1000, ""), 10_000))
        .isEqualTo("8 groups (8 new, 1 failed), 100 tokens/s, policy version 7, sampling");
    assertThat(line.write(status(10, 1100, "prompts"), 20_000))
        .isEqualTo(
            "10 groups (2 new, 1 failed), 10 tokens/s, policy version 7, waiting for prompts");
  }

  @Test
  void isDueWhenTheIntervalIsOver() {
    StatusLine line = new StatusLine(10_000, 5_000);

    assertThat(line.isDue(14_999)).isFalse();
    assertThat(line.isDue(15_000)).isTrue();
  }
}
