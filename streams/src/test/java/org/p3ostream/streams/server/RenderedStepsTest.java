package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepLogs;
import org.p3ostream.streams.live.StepView;

class RenderedStepsTest {
  private final RenderedSteps rendered = new RenderedSteps();

  @Test
  void aStepIsRenderedOnce() {
    StepView step = StepLogs.ofSteps(1).page(0, 1).get(0);

    assertThat(rendered.of(step)).isSameAs(rendered.of(step)).isEqualTo(ServerSentEvent.step(step));
  }

  @Test
  void anotherStepUnderTheSameNumberIsAnother() {
    StepView ofOneRun = StepLogs.ofSteps(1).page(0, 1).get(0);
    StepLog log = StepLogs.ofSteps(0);
    StepLogs.addSteps(log, 0, 1);
    StepView ofAnother = log.page(0, 1).get(0);

    String before = rendered.of(ofOneRun);

    assertThat(rendered.of(ofAnother)).isNotSameAs(before);
  }
}
