package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.StepMetrics;

class CollectedWindowTest {

  @Test
  void describeSplitsTheAgeIntoQueueAndHoldBack() {
    StepMetrics trained = StepEvents.metrics().setAgeMeanSeconds(0.75).build();
    StepMetrics metrics =
        new CollectedWindow(new Window(0, List.of()), 3, 0.25).describe(trained).build();
    assertThat(metrics.getLagWindows()).isEqualTo(3);
    assertThat(metrics.getAgeHoldBackSeconds()).isEqualTo(0.25);
    assertThat(metrics.getAgeQueueSeconds()).isCloseTo(0.5, within(1e-15));
  }
}
