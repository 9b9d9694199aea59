package org.p3ostream.streams.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who publishes, by producer id. */
public record ProducersAnswer(List<Producer> producers) {

  /**
   * A producer that was not silent for longer than the topology remembers.
   *
   * @param groups records published, failures among them
   * @param responses responses that were not aborted
   * @param tokens tokens of these
   * @param failures groups given up
   * @param groupsPerSecond over the last 60 s of event time before the newest of the run
   * @param tokensPerSecond over the same
   * @param lastAt event time of the newest record
   * @param silentSeconds from there to now
   * @param stalenessMean over the tokens trained in the last 64 to 127 windows, policy versions;
   *     null if none was
   * @param stalenessMax largest of the same; null if none was
   * @param rewardMean over the responses trained in the same windows; null if none was
   */
  public record Producer(
      String producerId,
      long groups,
      long responses,
      long tokens,
      long failures,
      double groupsPerSecond,
      double tokensPerSecond,
      long lastAt,
      double silentSeconds,
      @Nullable Double stalenessMean,
      @Nullable Long stalenessMax,
      @Nullable Double rewardMean) {}
}
