package org.p3ostream.learner.window;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a text that came with a record: whoever writes records decides how long their
 * texts are, and must not decide how large our events and dead letters are.
 */
public final class Excerpt {

  /** Largest cause of a rejection, UTF-8 bytes. */
  public static final int CAUSE_BYTES = 1000;

  /** Largest path of a field, UTF-8 bytes. */
  public static final int FIELD_BYTES = 200;

  /** Largest producer id, UTF-8 bytes. */
  public static final int PRODUCER_ID_BYTES = 100;

  private static final int MOST_BYTES_OF_A_CHAR = 3;

  private Excerpt() {}

  /**
   * The text, or its beginning and how long it is.
   *
   * @param maxBytes largest result, UTF-8 bytes, ≥ 40
   */
  public static String of(String text, int maxBytes) {
    if (text.length() * (long) MOST_BYTES_OF_A_CHAR <= maxBytes
        || (text.length() <= maxBytes && bytes(text) <= maxBytes)) {
      return text;
    }
    String end = "… (" + text.length() + " characters)";
    int left = maxBytes - bytes(end);
    int kept = 0;
    while (kept < text.length()) {
      int next = kept + Character.charCount(text.codePointAt(kept));
      left -= bytes(text.substring(kept, next));
      if (left < 0) {
        break;
      }
      kept = next;
    }
    return text.substring(0, kept) + end;
  }

  static @Nullable String ofNullable(@Nullable String text, int maxBytes) {
    return text == null ? null : of(text, maxBytes);
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
