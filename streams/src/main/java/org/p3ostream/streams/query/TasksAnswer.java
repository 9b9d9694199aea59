package org.p3ostream.streams.query;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What was trained, by task, in the order of their names. */
public record TasksAnswer(List<Task> tasks) {

  /**
   * A task (data set) in the windows asked for.
   *
   * @param responses responses that were not aborted
   * @param rewardMean over these; null if there are none
   * @param lengthMean tokens, over these; null if there are none
   * @param truncatedFraction of these; null if there are none
   * @param finishReasons responses, aborted ones among them
   */
  public record Task(
      String task,
      long groups,
      long responses,
      @Nullable Double rewardMean,
      @Nullable Double lengthMean,
      @Nullable Double truncatedFraction,
      SortedMap<String, Long> finishReasons) {}
}
