package org.p3ostream.streams.alert;

import org.jspecify.annotations.Nullable;

/**
 * A rule applied to an observation.
 *
 * @param rule id of the rule
 * @param severity WARNING or CRITICAL
 * @param title the rule in a few words
 * @param state OK, FIRING, or UNKNOWN where what it looks at is not known
 * @param detail what was found, with its numbers
 * @param value what was compared, in the unit of the rule; null if it is not known
 * @param threshold what it was compared with; null if it is not known
 */
public record Alert(
    String rule,
    Severity severity,
    String title,
    State state,
    String detail,
    @Nullable Double value,
    @Nullable Double threshold) {

  /** How much it matters. */
  public enum Severity {
    WARNING,
    CRITICAL
  }

  /** Outcome of a rule. */
  public enum State {
    OK,
    FIRING,
    UNKNOWN
  }
}
