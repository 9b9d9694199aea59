package org.p3ostream.learner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DispatchConfigTest {

  @Test
  void askedVersionIsTheVersionInForceRoundedDownToAMultipleOfTheInterval() {
    DispatchConfig everyThird = new DispatchConfig(8, 1, 3, 0, 600, true);
    long[] asked = {0, 0, 0, 3, 3, 3, 6};
    for (int version = 0; version < asked.length; version++) {
      assertThat(everyThird.askedVersion(version)).isEqualTo(asked[version]);
      assertThat(DispatchConfig.defaults().askedVersion(version)).isEqualTo(version);
    }
  }

  @Test
  void syncIntervalOfNoVersionIsRefused() {
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 0, 0, 600, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dispatch.syncInterval: 0 must be >= 1 policy versions");
  }

  @Test
  void syncIntervalOfMoreVersionsThanAnEventHasRoomForIsRefused() {
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 8192, 0, 600, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "dispatch.syncInterval: 8192 plus dispatch.maxStaleness (1) plus dispatch.versionsBack (0)"
                + " must be <= 8192 versions");
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 1, 8191, 600, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dispatch.versionsBack (8191) must be <= 8192 versions");
  }

  @Test
  void versionsBackIntoTheFutureAreRefused() {
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 1, -1, 600, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dispatch.versionsBack: -1 must be >= 0 policy versions");
  }

  @Test
  void numbersThatWouldNeverOrAlwaysTopUpAreRefused() {
    assertThatThrownBy(() -> new DispatchConfig(8, 1, 1, 0, 0, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dispatch.timeoutSeconds: 0 must be >= 1");
    assertThatThrownBy(() -> new WindowConfig(-1, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("window.maxTopUps: -1 must be >= 0");
    assertThatThrownBy(() -> new WindowConfig(10, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("window.maxStaleness: -1 must be >= 0 policy versions");
  }
}
