package org.p3ostream.learner.objective;

/**
 * DAPO's policy loss: the clip with a higher upper bound, averaged over tokens.
 *
 * <pre>
 *   loss = (1/N) Σ_t max(−ρ_t A_t, −clip(ρ_t, 1 − clipLow, 1 + clipHigh) A_t),  ρ = exp(log π_θ − log π_b)
 * </pre>
 *
 * Source: Yu et al. 2025, arXiv:2503.14476, Eq. 8 (loss; sections 3.1 and 3.3). float64; summed in
 * token order. Detached: A. The gradient is −ρ A / N where the unclipped branch is taken, 0 where
 * the clip is. The same function as {@link Grpo}'s, whose normalisation is DAPO's here; the rest of
 * DAPO lies outside the loss: groups without spread are replaced while the window is filled, and
 * {@link OverlongPenalty} enters the reward. Deviation: N counts the whole optimizer step, where
 * Eq. 8 divides by the tokens of one group.
 *
 * @param clipLow ε below 1; 0.2 in the paper
 * @param clipHigh ε above 1; 0.28 in the paper
 */
public record Dapo(double clipLow, double clipHigh) implements Objective {
  public Dapo {
    new ClippedSurrogate(clipLow, clipHigh);
  }

  @Override
  public String id() {
    return "dapo/" + clipLow + "/" + clipHigh;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    return new ClippedSurrogate(clipLow, clipHigh).evaluate(tokens, context);
  }
}
