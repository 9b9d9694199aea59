package org.p3ostream.learner.objective;

/**
 * GRPO's clipped surrogate, token-normalised over the step.
 *
 * <pre>
 *   loss = (1/N) Σ_t max(−ρ_t A_t, −clip(ρ_t, 1 − clipLow, 1 + clipHigh) A_t),  ρ = exp(log π_θ − log π_b)
 * </pre>
 *
 * Source: Shao et al. 2024, arXiv:2402.03300, Eq. 3 with the clip of Schulman et al. 2017,
 * arXiv:1707.06347, Eq. 7. float64; summed in token order. Detached: A. The gradient is −ρ A / N
 * where the unclipped branch is taken, 0 where the clip is. Deviations: normalised by the valid
 * tokens of the step instead of per response; no reference-model KL (see {@link Regularization}).
 *
 * @param clipLow ε below 1
 * @param clipHigh ε above 1
 */
public record Grpo(double clipLow, double clipHigh) implements Objective {
  public Grpo {
    new ClippedSurrogate(clipLow, clipHigh);
  }

  @Override
  public String id() {
    return clipLow == clipHigh ? "grpo/" + clipLow : "grpo/" + clipLow + "/" + clipHigh;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    return new ClippedSurrogate(clipLow, clipHigh).evaluate(tokens, context);
  }
}
