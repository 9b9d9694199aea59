package org.p3ostream.policy.precision;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Reads what another implementation found: words per line, float32 bits in hexadecimal. */
final class GoldenText {

  private GoldenText() {}

  /** The words of every line but comments. */
  static List<String[]> lines(String resource) {
    try (InputStream stream =
        Objects.requireNonNull(GoldenText.class.getResourceAsStream(resource), resource)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" "))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }

  static float value(String word) {
    return word.equals("nan")
        ? Float.NaN
        : Float.intBitsToFloat(Integer.parseUnsignedInt(word, 16));
  }
}
