package org.p3ostream.deploy.config;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: a whole number and a unit, for instance {@code 500ms}. */
public final class DurationFormat {

  /** What is accepted, for messages. */
  public static final String RULE = "must be a whole number with a unit: ms, s, m or h";

  private static final Pattern TEXT = Pattern.compile("(\\d{1,15}) ?(ms|s|m|h)");

  private static final Map<String, Long> UNIT_MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L);

  private DurationFormat() {}

  /**
   * The duration in {@code text}.
   *
   * @throws IllegalArgumentException with {@link #RULE} otherwise
   */
  public static Duration parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(RULE);
    }
    return Duration.ofMillis(
        Math.multiplyExact(
            Long.parseLong(matcher.group(1)), UNIT_MILLIS.getOrDefault(matcher.group(2), 0L)));
  }

  /** Shortest text that {@link #parse} reads back; whole milliseconds. */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    if (millis % 3_600_000 == 0) {
      return millis / 3_600_000 + "h";
    }
    if (millis % 60_000 == 0) {
      return millis / 60_000 + "m";
    }
    return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
  }
}
