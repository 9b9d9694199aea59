package org.p3ostream.deploy.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: bytes, or a whole number and a unit, for instance {@code 16MiB}. */
final class SizeFormat {

  /** What is accepted, for messages. */
  static final String RULE =
      "must be a number of bytes or a whole number with a unit: B, KiB, MiB, GiB, kB, MB or GB";

  private static final Pattern TEXT = Pattern.compile("(\\d{1,18}) ?(B|KiB|MiB|GiB|kB|MB|GB|)");

  private static final Map<String, Long> UNIT_BYTES =
      Map.of(
          "", 1L,
          "B", 1L,
          "KiB", 1L << 10,
          "MiB", 1L << 20,
          "GiB", 1L << 30,
          "kB", 1_000L,
          "MB", 1_000_000L,
          "GB", 1_000_000_000L);

  private SizeFormat() {}

  /**
   * Bytes in {@code text}.
   *
   * @throws IllegalArgumentException with {@link #RULE} otherwise
   */
  static long parseBytes(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(RULE);
    }
    return Math.multiplyExact(
        Long.parseLong(matcher.group(1)), UNIT_BYTES.getOrDefault(matcher.group(2), 0L));
  }
}
