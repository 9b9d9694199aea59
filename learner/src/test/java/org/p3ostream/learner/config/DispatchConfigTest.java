package org.p3ostream.learner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DispatchConfigTest {

  @Test
  void askedVersionIsTheVersionInForceRoundedDownToAMultipleOfTheInterval() {
    DispatchConfig everyThird = new DispatchConfig(8, 1, 3, true);
    long[] asked = {0, 0, 0, 3, 3, 3, 6};
    for (int version = 0; version < asked.length; version++) {
      assertThat(everyThird.askedVersion(version)).isEqualTo(asked[version]);
      assertThat(DispatchConfig.defaults().askedVersion(version)).isEqualTo(version);
    }
  }

  @Test
  void syncIntervalOfNoVersionIsRefused() {
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 0, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dispatch.syncInterval: 0 must be >= 1 policy versions");
  }
}
