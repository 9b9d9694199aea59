package org.p3ostream.learner.objective;

/**
 * PPO's clipped surrogate with the dual clip, without a critic.
 *
 * <pre>
 *   L_t  = max(−ρ_t A_t, −clip(ρ_t, 1 − clip, 1 + clip) A_t),  ρ = exp(log π_θ − log π_b)
 *   loss = (1/N) Σ_t { min(L_t, −dualClip · A_t)  if A_t &lt; 0
 *                    { L_t                        otherwise
 * </pre>
 *
 * Source: Schulman et al. 2017, arXiv:1707.06347, Eq. 7; dual clip: Ye et al. 2020,
 * arXiv:1912.09729, Eq. 5. float64; summed in token order. Detached: A. The gradient is −ρ A / N, 0
 * where either clip acts. The dual clip bounds what a token with A &lt; 0 and a large ρ can do,
 * which the clip alone leaves unbounded. Deviations: advantages are group-relative, there is no
 * value function; normalised by the valid tokens of the step.
 *
 * @param clip ε, in (0, 1]
 * @param dualClip c, &gt; 1
 */
public record PpoClip(double clip, double dualClip) implements Objective {
  public PpoClip {
    new ClippedSurrogate(clip, clip);
    if (!(dualClip > 1 && dualClip < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("dualClip " + dualClip + " is not a finite number > 1");
    }
  }

  @Override
  public String id() {
    return "ppo/" + clip + "/" + dualClip;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    ClippedSurrogate surrogate = new ClippedSurrogate(clip, clip);
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(tokens.logRatio(t));
        double advantage = tokens.advantage(t);
        if (advantage < 0 && ratio > dualClip) {
          losses.add(t, -dualClip * advantage, 0, true);
        } else {
          surrogate.addTo(losses, t, ratio, advantage, 1, false);
        }
      }
    }
    return losses.losses();
  }
}
