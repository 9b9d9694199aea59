package org.p3ostream.learner.train;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;

/**
 * What training on a window gave.
 *
 * @param metrics null when the window had no valid token: then nothing moved
 * @param ratioStatistics per policy version, ascending
 * @param prePassMillis forward pass and statistics
 * @param updateMillis loss, backward pass and optimizer
 */
public record TrainedWindow(
    @Nullable StepMetrics metrics,
    List<VersionRatioStatistics> ratioStatistics,
    double prePassMillis,
    double updateMillis) {

  /** The same with other metrics. */
  public TrainedWindow withMetrics(StepMetrics other) {
    return new TrainedWindow(other, ratioStatistics, prePassMillis, updateMillis);
  }
}
