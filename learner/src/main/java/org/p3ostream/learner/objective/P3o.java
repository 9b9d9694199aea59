package org.p3ostream.learner.objective;

/**
 * P3O.
 *
 * <pre>
 *   loss = (1/N) Σ_t [ −sg(min(ρ_t, e)) · log π_θ(y_t) · A_t + (1 − e) · KL_t ],  ρ = exp(l),  l = log π_θ − log π_b
 *   KL_t = K(l_t) ({@link KlMode#PROXY}, {@link KlMode#PROXY_SAFE}) or KL(π_θ ‖ π_b) over the vocabulary ({@link KlMode#EXACT})
 * </pre>
 *
 * Source: Fakoor et al. 2026, arXiv:2605.12380, Eq. 11 (e) and Eq. 12 (loss). float64; summed in
 * token order and divided by the valid tokens N of the whole step, whatever the scope. Detached:
 * the coefficient min(ρ, e), e, A. Gradient flows through log π_θ and the KL only:
 *
 * <pre>
 *   proxy:       d/d log π_θ = (−min(ρ, e) · A + (1 − e) · K'(l)) / N
 *   proxy-safe:  the same with 1 − exp(min(−l, 10)) for K'(l)
 *   exact:       d/d log π_θ = −min(ρ, e) · A / N; the KL's goes to all logits of the token, see {@link ExactKl}
 * </pre>
 *
 * Deviations: in the proxy modes K is {@link KlProxy}, not the full-vocabulary KL.
 *
 * @param essScope which tokens e is of: with {@link EssScope#MICRO_BATCH} the caller makes a
 *     context per micro-batch, with its own e and the N of the whole step
 */
public record P3o(EssScope essScope, KlMode klMode) implements Objective {

  /** Step scope, sampled KL. */
  public P3o() {
    this(EssScope.STEP, KlMode.PROXY);
  }

  @Override
  public String id() {
    return "p3o/" + essScope.id() + "/" + klMode.id();
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    double cap = context.normalizedEss();
    double klWeight = 1 - context.normalizedEss();
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(tokens.logRatio(t));
        double coefficient = Math.min(ratio, cap);
        losses.add(
            t,
            -coefficient * tokens.logprob(t) * tokens.advantage(t),
            klWeight * kl(tokens, t),
            -coefficient * tokens.advantage(t) + klWeight * klSlope(tokens.logRatio(t)),
            ratio > cap);
      }
    }
    return losses.losses();
  }

  private double kl(TokenBatch tokens, int t) {
    return klMode == KlMode.EXACT ? tokens.exactKl(t) : KlProxy.value(tokens.logRatio(t));
  }

  private double klSlope(double logRatio) {
    return switch (klMode) {
      case PROXY -> KlProxy.slope(logRatio);
      case PROXY_SAFE -> KlProxy.safeSlope(logRatio);
      case EXACT -> 0; // goes to the logits
    };
  }
}
