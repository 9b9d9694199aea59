package org.p3ostream.streams.server;

import java.util.Map;
import java.util.function.Supplier;

/**
 * What the server asks when it is asked how the service is doing: named conditions, read on the
 * event loop.
 *
 * @param live must hold, or a supervisor had better restart the service
 * @param ready must hold before the answers of the service are worth reading
 */
public record Health(
    Map<String, Supplier<Condition>> live, Map<String, Supplier<Condition>> ready) {
  public Health {
    live = Map.copyOf(live);
    ready = Map.copyOf(ready);
  }
}
