package org.p3ostream.learner.objective;

/**
 * REINFORCE with a truncated importance weight.
 *
 * <pre>
 *   loss = (1/N) Σ_t −sg(min(ρ_t, cap)) · A_t · log π_θ(y_t),  ρ = exp(log π_θ − log π_b)
 * </pre>
 *
 * Source: Ionides 2008, "Truncated Importance Sampling", JCGS 17(2), per token as in Espeholt et
 * al. 2018 (IMPALA), arXiv:1802.01561, section 4.2, with the group-relative advantage for
 * V-trace's. Deviation: the cap is a constant, as in IMPALA; Ionides lets it grow with the number
 * of samples. float64; summed in token order. Detached: the weight and A. The gradient is −min(ρ,
 * cap) A / N. What P3O does with a constant for e and no KL.
 *
 * @param cap largest weight, &gt; 0
 */
public record TruncatedImportanceSampling(double cap) implements Objective {
  public TruncatedImportanceSampling {
    if (!(cap > 0 && cap < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("cap " + cap + " is not a finite number > 0");
    }
  }

  @Override
  public String id() {
    return "tis/" + cap;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(tokens.logRatio(t));
        double slope = -Math.min(ratio, cap) * tokens.advantage(t);
        losses.add(t, slope * tokens.logprob(t), slope, ratio > cap);
      }
    }
    return losses.losses();
  }
}
