package org.p3ostream.learner.objective;

/**
 * P3O.
 *
 * <pre>
 *   loss = (1/N) Σ_t [ −sg(c_t) · log π_θ(y_t) · A_t + (1 − e) · KL_t ],  ρ = exp(l),  l = log π_θ − log π_b
 *   c_t  = min(ρ_t, e) ({@link RatioCap#ESS}) or ρ_t ({@link RatioCap#NONE})
 *   KL_t = K(l_t) ({@link KlMode#PROXY}, {@link KlMode#PROXY_SAFE}), KL(π_θ ‖ π_b) over the vocabulary ({@link KlMode#EXACT}) or 0
 *          ({@link KlMode#NONE})
 * </pre>
 *
 * Source: Fakoor et al. 2026, arXiv:2605.12380, Eq. 11 (e) and Eq. 12 (loss). float64; summed in
 * token order and divided by the valid tokens N of the whole step, whatever the scope. Detached:
 * the coefficient c, e, A. Gradient flows through log π_θ and the KL only:
 *
 * <pre>
 *   proxy:       d/d log π_θ = (−c · A + (1 − e) · K'(l)) / N
 *   proxy-safe:  the same with 1 − exp(min(−l, 10)) for K'(l)
 *   exact:       d/d log π_θ = −c · A / N; the KL's goes to all logits of the token, see {@link ExactKl}
 *   none:        d/d log π_θ = −c · A / N
 * </pre>
 *
 * Deviations: in the proxy modes K is {@link KlProxy}, not the full-vocabulary KL; without KL, or
 * without cap, it is one half of the paper's objective, to see what each of them does.
 *
 * @param essScope which tokens e is of: with {@link EssScope#MICRO_BATCH} the caller makes a
 *     context per micro-batch, with its own e and the N of the whole step
 * @param klMode which KL is added
 * @param cap what bounds the ratio
 */
public record P3o(EssScope essScope, KlMode klMode, RatioCap cap) implements Objective {
  public P3o {
    if (klMode == KlMode.NONE && cap == RatioCap.NONE) {
      throw new IllegalArgumentException("without cap and KL nothing of P3O is left");
    }
  }

  /** Step scope, sampled KL. */
  public P3o() {
    this(EssScope.STEP, KlMode.PROXY);
  }

  /** With the cap. */
  public P3o(EssScope essScope, KlMode klMode) {
    this(essScope, klMode, RatioCap.ESS);
  }

  @Override
  public String id() {
    return "p3o/"
        + essScope.id()
        + "/"
        + klMode.id()
        + (cap == RatioCap.ESS ? "" : "/cap-" + cap.id());
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    double bound = cap == RatioCap.ESS ? context.normalizedEss() : Double.POSITIVE_INFINITY;
    double klWeight = 1 - context.normalizedEss();
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(tokens.logRatio(t));
        double coefficient = Math.min(ratio, bound);
        losses.add(
            t,
            -coefficient * tokens.logprob(t) * tokens.advantage(t),
            klWeight * kl(tokens, t),
            -coefficient * tokens.advantage(t) + klWeight * klSlope(tokens.logRatio(t)),
            ratio > bound);
      }
    }
    return losses.losses();
  }

  private double kl(TokenBatch tokens, int t) {
    return switch (klMode) {
      case PROXY, PROXY_SAFE -> KlProxy.value(tokens.logRatio(t));
      case EXACT -> tokens.exactKl(t);
      case NONE -> 0;
    };
  }

  private double klSlope(double logRatio) {
    return switch (klMode) {
      case PROXY -> KlProxy.slope(logRatio);
      case PROXY_SAFE -> KlProxy.safeSlope(logRatio);
      case EXACT -> 0; // goes to the logits
      case NONE -> 0;
    };
  }
}
