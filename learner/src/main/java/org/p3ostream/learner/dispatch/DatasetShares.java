package org.p3ostream.learner.dispatch;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;

/**
 * Weights as whole shares of a whole total, so that no rounding adds up over a run.
 *
 * <p>A weight is the decimal number that it prints as: 0.1 and 0.2 are shares 1 and 2 of 3. That is
 * exact as long as the total fits into an int; weights that need more digits are rounded to
 * multiples of 2^-30 of their sum, at least one.
 */
final class DatasetShares {

  private static final BigDecimal ROUNDED_TOTAL = BigDecimal.valueOf(1L << 30);

  private DatasetShares() {}

  /**
   * Shares in the order of {@code weights}, each ≥ 1; with up to 2^30 data sets their sum is below
   * 2^31.
   *
   * @param weights finite, > 0
   */
  static long[] of(List<Double> weights) {
    List<BigDecimal> exact = weights.stream().map(BigDecimal::valueOf).toList();
    int scale = exact.stream().mapToInt(BigDecimal::scale).max().orElse(0);
    List<BigInteger> whole =
        exact.stream().map(weight -> weight.setScale(scale).unscaledValue()).toList();
    BigInteger divisor = whole.stream().reduce(BigInteger.ZERO, BigInteger::gcd);
    BigInteger total = whole.stream().reduce(BigInteger.ZERO, BigInteger::add).divide(divisor);
    return total.bitLength() < Integer.SIZE
        ? whole.stream().mapToLong(weight -> weight.divide(divisor).longValueExact()).toArray()
        : rounded(exact);
  }

  private static long[] rounded(List<BigDecimal> weights) {
    BigDecimal sum = weights.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
    return weights.stream()
        .map(weight -> weight.multiply(ROUNDED_TOTAL).divide(sum, 0, RoundingMode.HALF_UP))
        .mapToLong(share -> Math.max(1, share.longValueExact()))
        .toArray();
  }
}
