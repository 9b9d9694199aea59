package org.p3ostream.deploy.experiment.statistics;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Mean and sample standard deviation.
 *
 * <pre>  mean = Σx / n,  std = sqrt(Σ(x − mean)² / (n − 1))  </pre>
 *
 * @param n how many values
 * @param mean NaN for none
 * @param std null for fewer than two values
 */
public record MeanStd(int n, double mean, @Nullable Double std) {

  public static MeanStd of(double[] values) {
    if (values.length == 0) {
      return new MeanStd(0, Double.NaN, null);
    }
    double mean = Arrays.stream(values).sum() / values.length;
    double squares = Arrays.stream(values).map(x -> (x - mean) * (x - mean)).sum();
    return new MeanStd(
        values.length,
        mean,
        values.length < 2 ? null : Double.valueOf(Math.sqrt(squares / (values.length - 1))));
  }
}
