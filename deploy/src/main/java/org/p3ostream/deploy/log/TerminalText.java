package org.p3ostream.deploy.log;

import java.util.List;

/**
 * Text of unknown origin made safe for a terminal: whatever could move the cursor, change colours
 * or the direction of writing is shown as an escape instead.
 */
public final class TerminalText {

  /** Between letters of some scripts and inside emoji; does nothing by itself. */
  private static final String JOINERS = "\u200C\u200D";

  private TerminalText() {}

  /** {@code text} on one line. */
  public static String inline(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints().forEach(codePoint -> append(safe, codePoint));
    return safe.toString();
  }

  /** {@code text} line by line, at least one. */
  static List<String> lines(String text) {
    return text.lines().findAny().isEmpty()
        ? List.of("")
        : List.of(text.split("\n", -1)).stream().map(TerminalText::inline).toList();
  }

  private static void append(StringBuilder safe, int codePoint) {
    switch (codePoint) {
      case '\n' -> safe.append("\\n");
      case '\r' -> safe.append("\\r");
      case '\t' -> safe.append("\\t");
      default -> {
        if (isHarmless(codePoint)) {
          safe.appendCodePoint(codePoint);
        } else {
          safe.append(String.format(codePoint > 0xFFFF ? "\\u{%X}" : "\\u%04x", codePoint));
        }
      }
    }
  }

  private static boolean isHarmless(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> JOINERS.indexOf(codePoint) >= 0;
      default -> true;
    };
  }
}
