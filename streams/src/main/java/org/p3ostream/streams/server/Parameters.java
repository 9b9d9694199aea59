package org.p3ostream.streams.server;

import io.vertx.core.MultiMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reading of query parameters. */
final class Parameters {
  private Parameters() {}

  /** Values by name, as often as each was given. */
  static Map<String, List<String>> byName(MultiMap parameters) {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    parameters.names().forEach(name -> byName.put(name, parameters.getAll(name)));
    return byName;
  }

  /**
   * For paths without parameters.
   *
   * @throws BadParameterException if there is one
   */
  static void requireNone(MultiMap parameters) {
    byName(parameters)
        .forEach(
            (name, values) -> {
              throw new BadParameterException(
                  name, String.join(", ", values), "is not known; none is");
            });
  }

  /**
   * The value of {@code name}.
   *
   * @throws BadParameterException if it was given more than once
   */
  static String only(String name, List<String> values) {
    if (values.size() != 1) {
      throw new BadParameterException(name, String.join(", ", values), "must be given once");
    }
    return values.get(0);
  }

  /**
   * A whole number.
   *
   * @throws BadParameterException if it is none in [{@code min}, {@code max}]
   */
  static long whole(String name, String value, long min, long max) {
    Long number = parsed(value);
    if (number == null || number < min || number > max) {
      throw new BadParameterException(
          name, value, "must be a whole number in [" + min + ", " + max + "]");
    }
    return number;
  }

  private static @Nullable Long parsed(String value) {
    try {
      return Long.valueOf(value);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
