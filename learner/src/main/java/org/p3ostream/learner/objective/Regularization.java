package org.p3ostream.learner.objective;

/**
 * Terms on top of any objective.
 *
 * <pre>
 *   loss += (1/N) Σ_t [ referenceKl · K(log π_θ − log π_ref) − entropy · H(π_θ(·|c_t)) ]
 * </pre>
 *
 * Sources: K is k3 as in Shao et al. 2024, arXiv:2402.03300, Eq. 4; the entropy bonus as in Mnih et
 * al. 2016, arXiv:1602.01783, section 4. float64; summed in token order, divided by the valid
 * tokens of the step. K with the exponent clamped and the slope that is safe beyond it, see {@link
 * KlProxy}. The entropy is an input: its gradient goes to the logits and is not in {@link
 * TokenLosses#gradient}.
 *
 * @param referenceKl weight of the KL to a reference policy, ≥ 0
 * @param entropy weight of the entropy, ≥ 0
 */
public record Regularization(double referenceKl, double entropy) {

  /** Neither term. */
  public static final Regularization NONE = new Regularization(0, 0);

  public Regularization {
    requireWeight("referenceKl", referenceKl);
    requireWeight("entropy", entropy);
  }

  public boolean usesReference() {
    return referenceKl > 0;
  }

  public boolean usesEntropy() {
    return entropy > 0;
  }

  /**
   * The losses with the terms.
   *
   * @param losses of the objective on the same tokens
   * @throws IllegalStateException if {@code tokens} lacks what a term needs
   */
  public TokenLosses addTo(TokenLosses losses, TokenBatch tokens, StepContext context) {
    double[] tokenLoss = losses.tokenLoss().clone();
    double[] gradient = losses.gradient().clone();
    double sum = 0;
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double term = 0;
        if (usesReference()) {
          double logRatio = tokens.logprob(t) - tokens.referenceLogprob(t);
          term += referenceKl * KlProxy.value(logRatio);
          gradient[t] += referenceKl * KlProxy.safeSlope(logRatio) / context.validTokens();
        }
        if (usesEntropy()) {
          term -= entropy * tokens.entropy(t);
        }
        tokenLoss[t] += term;
        sum += term;
      }
    }
    return new TokenLosses(
        tokenLoss,
        gradient,
        losses.policyLoss(),
        losses.klLoss(),
        losses.regularizationLoss() + sum / context.validTokens(),
        losses.limitedTokens());
  }

  private static void requireWeight(String name, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " " + value + " is not a finite number >= 0");
    }
  }
}
