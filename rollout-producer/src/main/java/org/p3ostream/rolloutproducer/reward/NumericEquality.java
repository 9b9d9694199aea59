package org.p3ostream.rolloutproducer.reward;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * 1 when the last number of the response equals the reference answer.
 *
 * <pre>  |x − a| ≤ 1e-9 · |a|,  in exact decimal arithmetic; a = 0 asks for x = 0  </pre>
 *
 * A number is decimal, with an optional fraction, an optional exponent of at most three digits and
 * optional commas between groups of three digits: {@code 42}, {@code -0.5}, {@code .5}, {@code
 * 1,234.5}, {@code 6e3}. A minus is a hyphen or U+2212, as typeset mathematics has it. A sign
 * belongs to the number unless a letter, a digit or a closing bracket stands right before it, so
 * {@code 7-3} ends with 3. A full stop at the end of a sentence does not count.
 */
final class NumericEquality implements Reward {
  static final String NAME = "numeric";

  private static final BigDecimal RELATIVE_TOLERANCE = new BigDecimal("1e-9");

  /**
   * Possessive throughout: one pass, no backtracking. Exponents are short, so values stay small.
   */
  private static final Pattern NUMBER =
      Pattern.compile(
          "[-+]?+(?:\\d{1,3}+(?:,\\d{3}(?!\\d))++(?:\\.\\d++)?+|\\d++(?:\\.\\d++)?+|\\.\\d++)"
              + "(?:[eE][-+]?+\\d{1,3}+(?!\\d))?+");

  @Override
  public Score score(String response, String referenceAnswer) {
    String reference = withPlainMinus(referenceAnswer.strip());
    if (!NUMBER.matcher(reference).matches()) {
      throw new IllegalArgumentException(
          "reward " + NAME + ": reference answer '" + referenceAnswer + "' is no number");
    }
    BigDecimal answer = value(reference);
    BigDecimal last = lastNumber(withPlainMinus(response));
    return Score.pass(NAME, last != null && equal(last, answer));
  }

  private static String withPlainMinus(String text) {
    return text.replace('\u2212', '-');
  }

  private static boolean equal(BigDecimal x, BigDecimal answer) {
    return x.subtract(answer).abs().compareTo(answer.abs().multiply(RELATIVE_TOLERANCE)) <= 0;
  }

  private static @Nullable BigDecimal lastNumber(String text) {
    Matcher matcher = NUMBER.matcher(text);
    String last = null;
    while (matcher.find()) {
      last = isBinarySign(text, matcher.start()) ? matcher.group().substring(1) : matcher.group();
    }
    return last == null ? null : value(last);
  }

  private static boolean isBinarySign(String text, int start) {
    char first = text.charAt(start);
    if (start == 0 || (first != '-' && first != '+')) {
      return false;
    }
    char before = text.charAt(start - 1);
    return Character.isLetterOrDigit(before) || before == ')' || before == ']' || before == '}';
  }

  private static BigDecimal value(String number) {
    return new BigDecimal(number.replace(",", ""));
  }
}
