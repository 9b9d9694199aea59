package org.p3ostream.streams.server;

import java.util.LinkedHashMap;
import java.util.Map;
import org.p3ostream.streams.live.StepView;

/**
 * The events of the steps that were sent last, as text: clients that keep up are all sent the same.
 *
 * <p>Confined to the event loop.
 */
final class RenderedSteps {
  private static final int HELD = 64;

  private record Rendered(StepView step, String text) {}

  private final Map<Long, Rendered> held =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Rendered> eldest) {
          return size() > HELD;
        }
      };

  String of(StepView step) {
    Rendered rendered = held.get(step.step());
    if (rendered == null || rendered.step() != step) {
      rendered = new Rendered(step, ServerSentEvent.step(step));
      held.put(step.step(), rendered);
    }
    return rendered.text();
  }
}
