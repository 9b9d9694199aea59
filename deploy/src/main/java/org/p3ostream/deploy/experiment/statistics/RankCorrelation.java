package org.p3ostream.deploy.experiment.statistics;

import java.util.Arrays;
import org.hipparchus.stat.correlation.SpearmansCorrelation;
import org.jspecify.annotations.Nullable;

/** Spearman's rank correlation; equal values have the mean of their ranks. */
public final class RankCorrelation {

  private RankCorrelation() {}

  /**
   * Correlation of {@code x} and {@code y}, [n] each, in [-1, 1]; null where it is not defined:
   * fewer than two pairs, or all values of one side equal.
   */
  public static @Nullable Double of(double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(x.length + " values cannot be paired with " + y.length);
    }
    if (isConstant(x) || isConstant(y)) {
      return null;
    }
    return new SpearmansCorrelation().correlation(x, y);
  }

  private static boolean isConstant(double[] values) {
    return Arrays.stream(values).distinct().count() < 2;
  }
}
