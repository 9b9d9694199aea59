package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.learner.ledger.StepEvents.event;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepKind;

class WindowSkipsTest {

  private final LedgerState ledger = new LedgerState(StepEvents.RUN_ID, 2);

  /** Window 0 had no valid token, window 1 was skipped. */
  WindowSkipsTest() {
    ledger.apply(event(StepKind.GENESIS, -1, 0, EventHash.NONE).build(), "h0");
    ledger.apply(event(StepKind.NO_OP, 0, 0, "h0").build(), "h1");
    ledger.apply(
        event(StepKind.NO_OP, 1, 0, "h1")
            .setControl(new ControlChange(ControlKind.SKIP_WINDOW, "", List.of()))
            .build(),
        "h2");
  }

  @Test
  void windowsToComeAreKeptUntilTheyAreReached() {
    WindowSkips skips = new WindowSkips(List.of(2L, 7L, 7L));
    skips.startFrom(ledger);
    assertThat(skips.contains(2)).isTrue();
    assertThat(skips.contains(3)).isFalse();
    assertThat(skips.contains(7)).isTrue();
  }

  @Test
  void windowThatIsSettledIsRefused() {
    assertThatThrownBy(() -> new WindowSkips(List.of(0L)).startFrom(ledger))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("--skip-window 0: that window is settled, the next one is 2");
    assertThatThrownBy(() -> new WindowSkips(List.of(-1L)).startFrom(ledger))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("--skip-window -1: ");
  }

  /** So that a learner which is started again with the same command line goes on. */
  @Test
  void windowThatWasSkippedAlreadyIsPassedOver() {
    WindowSkips skips = new WindowSkips(List.of(1L, 4L));
    skips.startFrom(ledger);
    assertThat(skips.contains(1)).isFalse();
    assertThat(skips.contains(4)).isTrue();
  }
}
