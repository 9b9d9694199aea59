package org.p3ostream.streams.server;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.StepSampling;

/**
 * What {@code /api/steps} is asked for: a page of steps, or columns of few of them.
 *
 * @param from first step, ≥ 0
 * @param to last step, ≥ from
 * @param limit most steps of a page, in [1, {@link #MAX_LIMIT}]
 * @param points most steps in columns, in [{@link StepSampling#FEWEST}, {@link #MAX_POINTS}]; null
 *     asks for a page
 */
record StepsQuery(long from, long to, int limit, @Nullable Integer points) {
  static final int DEFAULT_LIMIT = 100;
  static final int MAX_LIMIT = 1_000;
  static final int MAX_POINTS = 5_000;

  /**
   * Reads query parameters; those that are absent take their default.
   *
   * @param parameters values by name, as often as each was given
   * @throws BadParameterException for a value out of its range, a name that is not known, one given
   *     twice or two that exclude each other
   */
  static StepsQuery of(Map<String, List<String>> parameters) {
    long from = 0;
    long to = Long.MAX_VALUE;
    Integer limit = null;
    Integer points = null;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      switch (name) {
        case "from" -> from = Parameters.whole(name, value, 0, Long.MAX_VALUE);
        case "to" -> to = Parameters.whole(name, value, 0, Long.MAX_VALUE);
        case "limit" -> limit = (int) Parameters.whole(name, value, 1, MAX_LIMIT);
        case "points" ->
            points = (int) Parameters.whole(name, value, StepSampling.FEWEST, MAX_POINTS);
        default ->
            throw new BadParameterException(
                name, value, "is not known; known are from, to, limit and points");
      }
    }
    if (to < from) {
      throw new BadParameterException("to", Long.toString(to), "must be >= from (" + from + ")");
    }
    if (limit != null && points != null) {
      throw new BadParameterException(
          "limit", limit.toString(), "is of pages; points asks for columns");
    }
    return new StepsQuery(from, to, limit == null ? DEFAULT_LIMIT : limit, points);
  }
}
