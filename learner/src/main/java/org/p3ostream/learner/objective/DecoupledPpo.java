package org.p3ostream.learner.objective;

/**
 * PPO whose clip is around a proximal policy instead of the behaviour policy.
 *
 * <pre>
 *   w_t  = sg(min(π_prox(y_t) / π_b(y_t), behaviorCap)),   r_t = π_θ(y_t) / π_prox(y_t)
 *   loss = (1/N) Σ_t w_t · max(−r_t A_t, −clip(r_t, 1 − clip, 1 + clip) A_t)
 * </pre>
 *
 * Source: Hilton et al. 2021, arXiv:2110.00641, section 2; proximal policy as in Fu et al. 2025
 * (AReaL), arXiv:2505.24298, section 5.2, Eq. 5: the policy just before the update. float64; summed
 * in token order. Detached: w, π_prox, A. The gradient is −w r A / N, 0 where the clip acts.
 *
 * <p>With one update per window π_prox is π_θ itself, detached: r is 1, the clip never acts, and
 * what is left is REINFORCE weighted by w. Deviations: w is truncated at behaviorCap, where the
 * formulas of both papers have no bound; Hilton's code (openai/ppo-ewma) caps π_θ / π_b, at 100 by
 * default, and AReaL's, where a cap is set, by default leaves the tokens whose w is above it out.
 * Normalised by the valid tokens of the step.
 *
 * @param clip ε, in (0, 1]
 * @param behaviorCap largest w, &gt; 0
 */
public record DecoupledPpo(double clip, double behaviorCap) implements Objective {
  public DecoupledPpo {
    new ClippedSurrogate(clip, clip);
    if (!(behaviorCap > 0 && behaviorCap < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "behaviorCap " + behaviorCap + " is not a finite number > 0");
    }
  }

  @Override
  public String id() {
    return "decoupled-ppo/" + clip + "/" + behaviorCap;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    ClippedSurrogate surrogate = new ClippedSurrogate(clip, clip);
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double proximal = tokens.proximalLogprob(t);
        double behaviorRatio = Math.exp(proximal - tokens.behaviorLogprob(t));
        surrogate.addTo(
            losses,
            t,
            Math.exp(tokens.logprob(t) - proximal),
            tokens.advantage(t),
            Math.min(behaviorRatio, behaviorCap),
            behaviorRatio > behaviorCap);
      }
    }
    return losses.losses();
  }
}
