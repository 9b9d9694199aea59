package org.p3ostream.learner.objective;

/**
 * P3O with step-scope ESS and the sampled KL proxy.
 *
 * <pre>
 *   loss = (1/N) Σ_t [ −sg(min(ρ_t, e)) · log π_θ(y_t) · A_t + (1 − e) · K(l_t) ],  ρ = exp(l),  l = log π_θ − log π_b
 * </pre>
 *
 * Source: Fakoor et al. 2026, arXiv:2605.12380, Eq. 11 (e) and Eq. 12 (loss). float64; summed in
 * token order and divided by the valid tokens N of the whole step. Detached: the coefficient min(ρ,
 * e), e, A. Gradient flows through log π_θ and K only: d/d log π_θ = (−min(ρ, e) · A + (1 − e) ·
 * K'(l)) / N. Deviation: K is {@link KlProxy}, not the full-vocabulary KL.
 */
public record P3o() implements Objective {

  @Override
  public String id() {
    return "p3o/step/proxy";
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    double cap = context.normalizedEss();
    double klWeight = 1 - context.normalizedEss();
    double[] tokenLoss = new double[tokens.length()];
    double[] gradient = new double[tokens.length()];
    double policySum = 0;
    double klSum = 0;
    long capped = 0;
    for (int t = 0; t < tokens.length(); t++) {
      if (!tokens.isValid(t)) {
        continue;
      }
      double logRatio = tokens.logRatio(t);
      double ratio = Math.exp(logRatio);
      double coefficient = Math.min(ratio, cap);
      double policy = -coefficient * tokens.logprob(t) * tokens.advantage(t);
      double kl = klWeight * KlProxy.value(logRatio);
      tokenLoss[t] = policy + kl;
      gradient[t] =
          (-coefficient * tokens.advantage(t) + klWeight * KlProxy.slope(logRatio))
              / context.validTokens();
      policySum += policy;
      klSum += kl;
      capped += ratio > cap ? 1 : 0;
    }
    return new TokenLosses(
        tokenLoss,
        gradient,
        policySum / context.validTokens(),
        klSum / context.validTokens(),
        capped);
  }
}
