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

  @Override
  public Score score(String response, String referenceAnswer) {
    return Score.pass(NAME, compile(referenceAnswer).matcher(response).matches());
  }

  private static Pattern compile(String expression) {
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "reward " + NAME + ": '" + expression + "' is no RE2 expression: " + e.getDescription(),
          e);
    }
  }
}
