package org.p3ostream.learner.objective;

/**
 * CISPO: REINFORCE with a clipped importance weight, so that no token loses its gradient.
 *
 * <pre>
 *   loss = (1/N) Σ_t −sg(clip(ρ_t, 1 − clipLow, 1 + clipHigh)) · A_t · log π_θ(y_t),  ρ = exp(log π_θ − log π_b)
 * </pre>
 *
 * Source: MiniMax 2025, arXiv:2506.13585, Eq. 4 and 5. float64; summed in token order. Detached:
 * the clipped weight and A. The gradient is −clip(ρ) A / N everywhere. Deviations: MiniMax-M1
 * leaves the lower bound open and tunes the upper one, both act here; N counts the whole optimizer
 * step, where Eq. 4 divides by the tokens of one group.
 *
 * @param clipLow ε below 1; 1 leaves the weight without a lower bound
 * @param clipHigh ε above 1
 */
public record Cispo(double clipLow, double clipHigh) implements Objective {
  public Cispo {
    new ClippedSurrogate(clipLow, clipHigh);
  }

  @Override
  public String id() {
    return "cispo/" + clipLow + "/" + clipHigh;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    ClippedSurrogate surrogate = new ClippedSurrogate(clipLow, clipHigh);
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(tokens.logRatio(t));
        double weight = surrogate.clip(ratio);
        double slope = -weight * tokens.advantage(t);
        losses.add(t, slope * tokens.logprob(t), slope, weight != ratio);
      }
    }
    return losses.losses();
  }
}
