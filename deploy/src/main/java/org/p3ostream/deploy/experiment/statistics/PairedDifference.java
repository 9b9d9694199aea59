package org.p3ostream.deploy.experiment.statistics;

import java.util.DoubleSummaryStatistics;
import java.util.stream.DoubleStream;
import org.hipparchus.distribution.continuous.TDistribution;
import org.jspecify.annotations.Nullable;

/**
 * The difference of two samples whose values belong together in pairs, with the interval that
 * Student's t gives.
 *
 * <pre>
 *   d_i = x_i − y_i,   mean ± t(1 − α/2; n − 1) · std(d) / √n,   α = 0.05
 * </pre>
 *
 * It supposes that the differences are normal. With three pairs t is 4.30, and nothing can be said
 * about that. Equal differences have no interval: that their spread is nil says nothing of the
 * next.
 *
 * @param n pairs
 * @param mean of d; NaN for no pair
 * @param low lower end; null for fewer than two pairs, and if all differences are equal
 * @param high upper end; null together with the other
 * @param inPooledStd (mean(x) − mean(y)) / sqrt((var(x) + var(y)) / 2), variances over n − 1; null
 *     for fewer than two pairs; infinite where only the variances are 0, and 0 where both are equal
 */
public record PairedDifference(
    int n, double mean, @Nullable Double low, @Nullable Double high, @Nullable Double inPooledStd) {

  private static final double ALPHA = 0.05;

  /** Differences that lie no further apart, relative to the values, are equal but for rounding. */
  private static final double ROUNDING = 1e-12;

  /** The difference of {@code x} to {@code y}, [n] each. */
  public static PairedDifference of(double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(x.length + " values cannot be paired with " + y.length);
    }
    int n = x.length;
    double[] differences = new double[n];
    for (int i = 0; i < n; i++) {
      differences[i] = x[i] - y[i];
    }
    MeanStd of = MeanStd.of(differences);
    Double std = of.std();
    if (std == null) {
      return new PairedDifference(n, of.mean(), null, null, null);
    }
    Double pooled = inPooledStd(MeanStd.of(x), MeanStd.of(y));
    if (areEqual(differences, x, y)) {
      return new PairedDifference(n, of.mean(), null, null, pooled);
    }
    double half =
        new TDistribution(n - 1.0).inverseCumulativeProbability(1 - ALPHA / 2) * std / Math.sqrt(n);
    return new PairedDifference(n, of.mean(), of.mean() - half, of.mean() + half, pooled);
  }

  private static boolean areEqual(double[] differences, double[] x, double[] y) {
    DoubleSummaryStatistics of = DoubleStream.of(differences).summaryStatistics();
    double scale =
        DoubleStream.concat(DoubleStream.of(x), DoubleStream.of(y))
            .map(Math::abs)
            .reduce(1, Math::max);
    return of.getMax() - of.getMin() <= ROUNDING * scale;
  }

  private static @Nullable Double inPooledStd(MeanStd x, MeanStd y) {
    Double ofX = x.std();
    Double ofY = y.std();
    if (ofX == null || ofY == null) {
      return null;
    }
    double distance = x.mean() - y.mean();
    return distance == 0 ? 0 : distance / Math.sqrt((ofX * ofX + ofY * ofY) / 2);
  }

  /** Whether the interval leaves 0 out. */
  public boolean excludesZero() {
    return low != null && high != null && (low > 0 || high < 0);
  }
}
