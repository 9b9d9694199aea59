package org.p3ostream.streams.server;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /api/stream} is asked for.
 *
 * @param from first step wanted, ≥ 0
 */
record StreamQuery(long from) {
  private static final String LAST_EVENT_ID = "Last-Event-ID";

  /**
   * Reads a request. {@code Last-Event-ID} goes before {@code from}: a browser that reconnects
   * sends it with the address it was first given.
   *
   * @param parameters query parameters by name, as often as each was given
   * @param lastEventId id of the last event that the client has seen; null or empty for none
   * @throws BadParameterException for a value that is no step, a name that is not known or one
   *     given twice
   */
  static StreamQuery of(Map<String, List<String>> parameters, @Nullable String lastEventId) {
    long from = 0;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      if (!name.equals("from")) {
        throw new BadParameterException(name, value, "is not known; known is from");
      }
      from = Parameters.whole(name, value, 0, Long.MAX_VALUE);
    }
    if (lastEventId == null || lastEventId.isEmpty()) {
      return new StreamQuery(from);
    }
    return new StreamQuery(Parameters.whole(LAST_EVENT_ID, lastEventId, 0, Long.MAX_VALUE - 1) + 1);
  }
}
