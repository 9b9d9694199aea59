package org.p3ostream.policy.precision;

/**
 * The eight-bit floating-point format E4M3 with sign, four bits of exponent (bias 7) and three of
 * mantissa.
 *
 * <pre>
 *   normal     ±(1 + m/8) 2^(e − 7), e = 1 … 15 (e = 15 with m = 7 is NaN)   2^-6 … 448
 *   subnormal  ±(m/8) 2^-6, e = 0                                            0, 2^-9 … 7 · 2^-9
 * </pre>
 *
 * Source: Micikevicius et al. 2022, arXiv:2209.05433, table 1; no infinities. Rounding is to the
 * nearest, of two as near to the one with an even mantissa. Deviation: a magnitude above 448
 * becomes 448, where the format by itself has NaN.
 */
final class E4m3 {

  /** Largest magnitude. */
  static final float MAX = 448;

  private static final int MANTISSA_BITS = 3;
  private static final int LEAST_EXPONENT = -6;

  private E4m3() {}

  /** The value of the format that is nearest to {@code x}; NaN for NaN. */
  static float nearest(float x) {
    float magnitude = Math.min(Math.abs(x), MAX);
    int exponent = Math.max(Math.getExponent(magnitude), LEAST_EXPONENT);
    float step = Math.scalb(1f, exponent - MANTISSA_BITS); // between neighbours
    return Math.copySign((float) Math.rint(magnitude / step) * step, x); // exact but for rint
  }
}
