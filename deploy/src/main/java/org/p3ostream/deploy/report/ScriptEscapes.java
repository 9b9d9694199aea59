package org.p3ostream.deploy.report;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Escapes of JSON in a script element of HTML: no {@code <}, {@code >} or {@code &}, so that no
 * value can end the element or open a comment, and no line separator of Unicode.
 */
final class ScriptEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;

  @Override
  public int[] getEscapeCodesForAscii() {
    int[] escapes = standardAsciiEscapesForJSON();
    for (char c : new char[] {'<', '>', '&'}) {
      escapes[c] = ESCAPE_STANDARD;
    }
    return escapes;
  }

  @Override
  public @Nullable SerializableString getEscapeSequence(int c) {
    return c == '\u2028' || c == '\u2029'
        ? new SerializedString(String.format("\\u%04x", c))
        : null;
  }
}
