package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HttpOptionsTest {

  @Test
  void connectionsThatSayNothingAreClosedAndStreamsThatBeatAreNot() {
    long idleMillis = 1_000L * HttpOptions.of(Fixture.OPEN).getIdleTimeout();

    assertThat(idleMillis).isGreaterThan(2 * StreamLimits.defaults().heartbeatMillis());
  }
}
