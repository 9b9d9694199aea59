package org.p3ostream.streams.server;

import java.util.List;
import java.util.Map;

/**
 * What {@code /api/steps} is asked for.
 *
 * @param from first step, ≥ 0
 * @param limit most steps to answer with, in [1, {@link #MAX_LIMIT}]
 */
record StepsQuery(long from, int limit) {
  static final int DEFAULT_LIMIT = 100;
  static final int MAX_LIMIT = 1_000;

  /**
   * Reads query parameters; those that are absent take their default.
   *
   * @param parameters values by name, as often as each was given
   * @throws BadParameterException for a value out of its range, a name that is not known or one
   *     given twice
   */
  static StepsQuery of(Map<String, List<String>> parameters) {
    long from = 0;
    int limit = DEFAULT_LIMIT;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      switch (name) {
        case "from" -> from = Parameters.whole(name, value, 0, Long.MAX_VALUE);
        case "limit" -> limit = (int) Parameters.whole(name, value, 1, MAX_LIMIT);
        default ->
            throw new BadParameterException(name, value, "is not known; known are from and limit");
      }
    }
    return new StepsQuery(from, limit);
  }
}
