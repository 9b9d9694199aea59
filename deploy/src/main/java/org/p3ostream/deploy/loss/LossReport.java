package org.p3ostream.deploy.loss;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * What an objective says of the tokens of a step. A figure that does not apply is null. Owns its
 * arrays.
 */
final class LossReport {
  final String algorithm; // id of the objective, with its variant
  final Cap cap;
  final Losses losses;
  final Ratios ratios;

  /**
   * The bound of the ratio.
   *
   * @param shared the same for the whole step; null where there is none, or one per micro-batch
   * @param isEss whether it is one per micro-batch, its ESS
   */
  record Cap(@Nullable Double shared, boolean isEss) {}

  /** Loss and gradient. */
  static final class Losses {
    final @Nullable Double loss; // Σ of the tokens' losses / N; null without a valid token
    final double[] tokenLoss; // [T] in the order of the file, undivided, 0 where masked
    final double[] gradient; // [T], d loss / d logprob, 0 where masked
    final @Nullable Double capFraction; // of the valid tokens, ratio above the cap
    final @Nullable Double clipFraction; // of the valid tokens, acted on by the clip

    Losses(
        @Nullable Double loss,
        double[] tokenLoss,
        double[] gradient,
        @Nullable Double capFraction,
        @Nullable Double clipFraction) {
      this.loss = loss;
      this.tokenLoss = tokenLoss;
      this.gradient = gradient;
      this.capFraction = capFraction;
      this.clipFraction = clipFraction;
    }

    /** L2 norm of the gradient over log-probs. */
    double gradientNorm() {
      double largest = 0;
      for (double g : gradient) {
        largest = Math.max(largest, Math.abs(g)); // NaN propagates
      }
      if (largest == 0 || !Double.isFinite(largest)) {
        return largest;
      }
      double squares = 0;
      for (double g : gradient) {
        squares += g / largest * (g / largest);
      }
      return largest * Math.sqrt(squares);
    }
  }

  /**
   * Raw ratios of the valid tokens, before any cap or clip.
   *
   * @param measured what an ESS is of and holds a valid token: the step, or its micro-batches
   * @param ess one per micro-batch; null where there is no valid token to measure
   * @param validTokens N
   * @param mean null without a valid token, as the others
   * @param std population standard deviation
   * @param klProxyMean mean of k3, nats
   */
  record Ratios(
      List<RatioStatistics> measured,
      List<@Nullable Double> ess,
      long validTokens,
      @Nullable Double mean,
      @Nullable Double std,
      @Nullable Double max,
      @Nullable Double klProxyMean) {}

  LossReport(String algorithm, Cap cap, Losses losses, Ratios ratios) {
    this.algorithm = algorithm;
    this.cap = cap;
    this.losses = losses;
    this.ratios = ratios;
  }
}
