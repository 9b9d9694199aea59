package org.p3ostream.streams.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How long groups are on their way, by stage. */
public record LatenciesAnswer(List<StageLatency> stages) {

  /**
   * One stage; figures are null while {@code count} is 0.
   *
   * @param stage dispatched_to_sampled, sampled_to_trained or dispatched_to_trained
   * @param count groups
   */
  public record StageLatency(
      String stage,
      long count,
      @Nullable Double meanSeconds,
      @Nullable Double p50Seconds,
      @Nullable Double p95Seconds,
      @Nullable Double maxSeconds) {}
}
