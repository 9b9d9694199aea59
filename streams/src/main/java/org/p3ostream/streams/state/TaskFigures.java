package org.p3ostream.streams.state;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Groups of one task (data set) in one window or several. Means and fractions leave aborted
 * responses out; {@code finishReasons} counts them.
 *
 * @param groups groups
 * @param responses responses that were not aborted
 * @param rewardSum sum of their rewards
 * @param tokens tokens of them
 * @param truncated those that ended by the length limit
 * @param finishReasons responses by finish reason
 */
public record TaskFigures(
    long groups,
    long responses,
    double rewardSum,
    long tokens,
    long truncated,
    SortedMap<String, Long> finishReasons) {

  /** Of no group. */
  public static final TaskFigures NONE = new TaskFigures(0, 0, 0, 0, 0, new TreeMap<>());

  public TaskFigures {
    finishReasons = new TreeMap<>(finishReasons);
  }

  /** Of both. */
  public TaskFigures plus(TaskFigures other) {
    SortedMap<String, Long> reasons = new TreeMap<>(finishReasons);
    other.finishReasons.forEach((reason, count) -> reasons.merge(reason, count, Long::sum));
    return new TaskFigures(
        groups + other.groups,
        responses + other.responses,
        rewardSum + other.rewardSum,
        tokens + other.tokens,
        truncated + other.truncated,
        reasons);
  }
}
