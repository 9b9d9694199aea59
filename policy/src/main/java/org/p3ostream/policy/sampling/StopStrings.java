package org.p3ostream.policy.sampling;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Texts that end a response. It ends with the first token after which its decoded text contains one
 * of them. The text is always that of the whole response so far, never of a token by itself: a stop
 * string may begin and end inside tokens, and tokens may have a text only together (the bytes of
 * one character). Special tokens have no text, so a stop string never matches one.
 *
 * <p>One response of T tokens costs T decodings of up to T tokens.
 */
public final class StopStrings {

  private static final StopStrings NONE = new StopStrings(List.of(), tokens -> "");

  private final List<String> texts;
  private final Function<int[], String> decoder;

  /**
   * Creates stop strings.
   *
   * @param texts not empty strings; an empty list stops nothing
   * @param decoder text of a response's tokens, [T]
   * @throws IllegalArgumentException if a text is empty
   */
  public StopStrings(List<String> texts, Function<int[], String> decoder) {
    if (texts.contains("")) {
      throw new IllegalArgumentException("stopStrings: an empty text would end every response");
    }
    this.texts = List.copyOf(texts);
    this.decoder = decoder;
  }

  /** Stops nothing. */
  public static StopStrings none() {
    return NONE;
  }

  /** The part of {@code text} before the first stop string in it; all of it if there is none. */
  public String before(String text) {
    OptionalInt start = texts.stream().mapToInt(text::indexOf).filter(index -> index >= 0).min();
    return start.isPresent() ? text.substring(0, start.getAsInt()) : text;
  }

  /** Whether the text of a response's tokens so far, [T], contains a stop string. */
  boolean endWith(int[] tokens) {
    if (texts.isEmpty()) {
      return false;
    }
    String text = decoder.apply(tokens);
    return texts.stream().anyMatch(text::contains);
  }
}
