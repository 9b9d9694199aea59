package org.p3ostream.streams.query;

import java.util.List;

/**
 * What the learner rejected.
 *
 * @param total records
 * @param reasons by reason, in the order of their names
 */
public record DeadLettersAnswer(long total, List<Reason> reasons) {

  /** Records rejected for one reason; {@code lastAt} is when the newest was. */
  public record Reason(String reason, long count, long lastAt) {}
}
