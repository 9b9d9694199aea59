package org.p3ostream.learner.objective;

/**
 * The pessimistic surrogate of PPO at one token.
 *
 * <pre>
 *   loss(ρ, A) = max(−ρ A, −clip(ρ, 1 − low, 1 + high) A)
 * </pre>
 *
 * Source: Schulman et al. 2017, arXiv:1707.06347, Eq. 7, as a loss. Where the clip acts the
 * gradient is 0, otherwise d loss / d log π = −ρ A. With A ≥ 0 both stay finite whatever ρ is; with
 * A &lt; 0 they grow without bound, and what overflows is for the caller to refuse.
 *
 * @param low ε below 1, in (0, 1]
 * @param high ε above 1, &gt; 0
 */
record ClippedSurrogate(double low, double high) {
  ClippedSurrogate {
    if (!(low > 0 && low <= 1)) {
      throw new IllegalArgumentException("clipLow " + low + " is not in (0, 1]");
    }
    if (!(high > 0 && high < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("clipHigh " + high + " is not a finite number > 0");
    }
  }

  double clip(double ratio) {
    return Math.max(1 - low, Math.min(1 + high, ratio));
  }

  /** Adds the loss of token t, times a weight that carries no gradient. */
  void addTo(
      LossAccumulator losses,
      int t,
      double ratio,
      double advantage,
      double weight,
      boolean isWeightLimited) {
    if (advantage >= 0 && ratio > 1 + high) { // before any product: the ratio may be infinite
      losses.add(t, weight * (-(1 + high) * advantage), 0, advantage > 0 || isWeightLimited);
      return;
    }
    double unclippedLoss = -ratio * advantage;
    double clippedLoss = -clip(ratio) * advantage;
    if (clippedLoss > unclippedLoss) {
      losses.add(t, weight * clippedLoss, 0, true);
    } else {
      losses.add(t, weight * unclippedLoss, weight * unclippedLoss, isWeightLimited);
    }
  }

  /** Of all valid tokens, with ρ = exp(log π_θ − log π_b). */
  TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        addTo(losses, t, Math.exp(tokens.logRatio(t)), tokens.advantage(t), 1, false);
      }
    }
    return losses.losses();
  }
}
