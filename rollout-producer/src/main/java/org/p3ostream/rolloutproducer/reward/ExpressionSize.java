package org.p3ostream.rolloutproducer.reward;

import java.util.ArrayDeque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Estimates how large a regular expression becomes when its counted repetitions are written out,
 * which is what a linear-time engine does: {@code ((a{1000}){1000})} has a million states. A
 * character, an escape or a class counts 1, a group 1 and the sum of its parts, a repetition
 * multiplies what stands before it.
 */
final class ExpressionSize {
  private static final Pattern REPETITION = Pattern.compile("\\{(\\d{1,6})(?:,(\\d{0,6}))?\\}");

  private final String expression;
  private final ArrayDeque<Long> enclosing = new ArrayDeque<>();
  private long sum;
  private long last;

  private ExpressionSize(String expression) {
    this.expression = expression;
  }

  /** The size of {@code expression}, or some number above {@code limit} if it is larger. */
  static long of(String expression, long limit) {
    ExpressionSize size = new ExpressionSize(expression);
    int next = 0;
    while (next < expression.length() && size.sum <= limit) {
      next = size.read(next);
    }
    return size.total();
  }

  /** Reads what begins at {@code start} and returns where the next thing begins. */
  private int read(int start) {
    return switch (expression.charAt(start)) {
      case '\\' -> atom(start + 2);
      case '[' -> atom(endOfClass(start));
      case '(' -> open(start);
      case ')' -> close(start);
      case '{' -> repetition(start);
      default -> atom(start + 1);
    };
  }

  private int open(int start) {
    enclosing.push(sum);
    sum = 1;
    return start + 1;
  }

  private int close(int start) {
    last = sum;
    sum += enclosing.isEmpty() ? 0 : enclosing.pop();
    return start + 1;
  }

  private int atom(int end) {
    last = 1;
    sum++;
    return end;
  }

  private int repetition(int start) {
    Matcher matcher = REPETITION.matcher(expression).region(start, expression.length());
    if (!matcher.lookingAt()) {
      return atom(start + 1);
    }
    String upper = matcher.group(2);
    String bound = upper == null || upper.isEmpty() ? matcher.group(1) : upper;
    long count = Math.max(1, Long.parseLong(bound));
    sum += last * (count - 1);
    last *= count;
    return matcher.end();
  }

  /** Position after the bracket that closes a class; one that comes first is a member of it. */
  private int endOfClass(int start) {
    int i = start + 1;
    if (i < expression.length() && expression.charAt(i) == '^') {
      i++;
    }
    for (i++; i < expression.length() && expression.charAt(i) != ']'; i++) {
      if (expression.charAt(i) == '\\') {
        i++;
      }
    }
    return i + 1;
  }

  private long total() {
    return sum + enclosing.stream().mapToLong(Long::longValue).sum();
  }
}
