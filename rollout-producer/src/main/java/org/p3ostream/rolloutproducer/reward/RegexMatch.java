package org.p3ostream.rolloutproducer.reward;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/**
 * 1 when the reference answer, a regular expression, matches the whole response.
 *
 * <p>RE2 syntax: time is linear in the length of the response, whatever the expression; in return
 * there are no back-references and no look-around. {@code .} matches no line break unless the
 * expression says {@code (?s)}.
 */
final class RegexMatch implements Reward {
  static final String NAME = "regex";

  /** Characters; bounds the compiled program, the depth of nesting and so the time per match. */
  private static final int LARGEST_EXPRESSION = 2000;

  @Override
  public Score score(String response, String referenceAnswer) {
    return Score.pass(NAME, compile(referenceAnswer).matcher(response).matches());
  }

  private static Pattern compile(String expression) {
    long size = ExpressionSize.of(expression, LARGEST_EXPRESSION);
    if (size > LARGEST_EXPRESSION) {
      throw new IllegalArgumentException(
          "reward %s: '%.100s' of %d characters is too large with its repetitions written out"
              .formatted(NAME, expression, expression.length()));
    }
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "reward " + NAME + ": '" + expression + "' is no RE2 expression: " + e.getDescription(),
          e);
    }
  }
}
