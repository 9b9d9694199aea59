package org.p3ostream.streams.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Policy versions that sampled what was trained, newest first. */
public record VersionsAnswer(List<Version> versions) {

  /**
   * A version, over all its tokens that were trained.
   *
   * @param tokens valid tokens
   * @param normalizedEss e of them, see {@code RatioStatistics}
   * @param ratioMean mean ratio; null if it is not finite
   * @param fromStep first step that trained any
   * @param toStep last one
   */
  public record Version(
      long policyVersion,
      long tokens,
      double normalizedEss,
      @Nullable Double ratioMean,
      long fromStep,
      long toStep) {}
}
