package org.p3ostream.schemas.ratio;

/**
 * Importance-ratio statistics of a set of tokens, as a mergeable monoid in the log domain.
 *
 * <pre>
 *   l = log π_θ − log π_b          [nats], one per valid token
 *   logSumRatio        = log Σ exp(l)   = log S1
 *   logSumSquaredRatio = log Σ exp(2l)  = log S2
 *   tokenCount         = N
 *   e = S1² / (N · (S2 + 1e-8)), clamped to [0, 1]
 * </pre>
 *
 * Source: Fakoor et al. 2026, arXiv:2605.12380, Eq. 11; the 1e-8 as in its reference code. float64
 * throughout; sums are max-shifted, so every finite l is representable. {@link #merge} is
 * associative and commutative up to rounding with {@link #EMPTY} (a dummy micro-batch) as identity.
 * Deviations: clamped to [0, 1]; fails closed, so that statistics which are empty or not finite
 * give an ESS of 0 ("trust nothing"), never 1.
 *
 * @param logSumRatio log S1, nats; −∞ for no token
 * @param logSumSquaredRatio log S2, nats; −∞ for no token
 * @param tokenCount N, valid tokens, ≥ 0
 */
public record RatioStatistics(double logSumRatio, double logSumSquaredRatio, long tokenCount) {

  /** Added to S2 in the denominator of the ESS. */
  public static final double EPSILON = 1e-8;

  private static final double LOG_EPSILON = Math.log(EPSILON);

  /** Statistics of no token: the identity of {@link #merge}. */
  public static final RatioStatistics EMPTY =
      new RatioStatistics(Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, 0);

  public RatioStatistics {
    if (tokenCount < 0) {
      throw new IllegalArgumentException("tokenCount must be >= 0, was " + tokenCount);
    }
  }

  /**
   * Statistics of the valid tokens among {@code logRatios}.
   *
   * @param logRatios l, nats, [T]
   * @param valid which entries count, [T]; entries that do not count may hold anything, NaN
   *     included
   */
  public static RatioStatistics of(double[] logRatios, boolean[] valid) {
    if (logRatios.length != valid.length) {
      throw new IllegalArgumentException(
          "logRatios has " + logRatios.length + " entries, valid has " + valid.length);
    }
    double max = Double.NEGATIVE_INFINITY;
    long count = 0;
    for (int t = 0; t < logRatios.length; t++) {
      if (valid[t]) {
        max = Math.max(max, logRatios[t]); // NaN propagates
        count++;
      }
    }
    if (count == 0) {
      return EMPTY;
    }
    if (!Double.isFinite(max)) {
      return new RatioStatistics(max, 2 * max, count);
    }
    double shifted = 0;
    double shiftedSquared = 0;
    for (int t = 0; t < logRatios.length; t++) {
      if (valid[t]) {
        double ratio = Math.exp(logRatios[t] - max);
        shifted += ratio;
        shiftedSquared += ratio * ratio;
      }
    }
    return new RatioStatistics(max + Math.log(shifted), 2 * max + Math.log(shiftedSquared), count);
  }

  /** Statistics of the union of two disjoint sets of tokens. */
  public RatioStatistics merge(RatioStatistics other) {
    return new RatioStatistics(
        logAddExp(logSumRatio, other.logSumRatio),
        logAddExp(logSumSquaredRatio, other.logSumSquaredRatio),
        Math.addExact(tokenCount, other.tokenCount));
  }

  /**
   * Normalised effective sample size e in [0, 1]. 0 when there is no token or when a sum is not
   * finite: a statistic that cannot be trusted never means "trust everything".
   */
  public double normalizedEss() {
    if (tokenCount == 0 || !isFinite()) {
      return 0;
    }
    double logEss =
        2 * logSumRatio
            - logAddExp(logSumSquaredRatio, LOG_EPSILON)
            - Math.log((double) tokenCount);
    double ess = Math.exp(logEss);
    return Double.isNaN(ess) ? 0 : Math.min(1, ess);
  }

  /** Mean of the raw ratio; NaN for no token. */
  public double meanRatio() {
    return tokenCount == 0 ? Double.NaN : Math.exp(logSumRatio - Math.log((double) tokenCount));
  }

  /**
   * Population standard deviation of the raw ratio; NaN for no token.
   *
   * <pre>  std = mean · sqrt(N · S2 / S1² − 1)  </pre>
   *
   * Taken from the log sums, so that it overflows only where the mean does.
   */
  public double stdRatio() {
    if (tokenCount == 0 || !isFinite()) {
      return Double.NaN;
    }
    double logMeanSquareOverSquaredMean =
        logSumSquaredRatio - 2 * logSumRatio + Math.log((double) tokenCount);
    return meanRatio() * Math.sqrt(Math.max(0, Math.expm1(logMeanSquareOverSquaredMean)));
  }

  /** True when both sums are finite; false for no token. */
  public boolean isFinite() {
    return Double.isFinite(logSumRatio) && Double.isFinite(logSumSquaredRatio);
  }

  private static double logAddExp(double a, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.NaN;
    }
    double high = Math.max(a, b);
    double low = Math.min(a, b);
    return Double.isInfinite(high) ? high : high + Math.log1p(Math.exp(low - high));
  }
}
