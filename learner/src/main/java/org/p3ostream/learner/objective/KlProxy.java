package org.p3ostream.learner.objective;

/**
 * The sampled estimate of KL(π_θ ‖ π_b) known as k3, with its exponent clamped.
 *
 * <pre>
 *   K(l)  = l + exp(clamp(−l, −10, 10)) − 1          [nats], l = log π_θ − log π_b
 *   K'(l) = 1 − exp(−l) for |l| ≤ 10, otherwise 1
 *   safe slope: 1 − exp(min(−l, 10))
 * </pre>
 *
 * Source: the KL term of the reference code of Fakoor et al. 2026, arXiv:2605.12380, where the
 * paper's Eq. 12 has the full-vocabulary KL. k3 is an unbiased estimate of it for tokens sampled
 * from π_θ; here they were sampled from π_b. Beyond the clamp the slope is that of l alone: below
 * −10 descent lowers the log-prob further. The safe slope is that of k3 without the clamp but for
 * its size, so its sign is right everywhere.
 */
public final class KlProxy {

  /** Largest exponent, nats. */
  public static final double CLAMP = 10;

  private KlProxy() {}

  /** K(l), nats. */
  public static double value(double logRatio) {
    return logRatio + Math.exp(clamp(-logRatio)) - 1;
  }

  /** K'(l). */
  public static double slope(double logRatio) {
    return Math.abs(logRatio) <= CLAMP ? 1 - Math.exp(-logRatio) : 1;
  }

  /** 1 − exp(min(−l, 10)). */
  public static double safeSlope(double logRatio) {
    return 1 - Math.exp(Math.min(-logRatio, CLAMP));
  }

  private static double clamp(double exponent) {
    return Math.max(-CLAMP, Math.min(CLAMP, exponent));
  }
}
