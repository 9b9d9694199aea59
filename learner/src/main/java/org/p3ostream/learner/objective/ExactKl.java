package org.p3ostream.learner.objective;

/**
 * KL of the policy from the behaviour distribution at one token, over the vocabulary.
 *
 * <pre>
 *   p = softmax(z / T_θ),  q = softmax(z_b / T_b)          both over the kept tokens, 0 elsewhere
 *   KL      = Σ_v p_v (log p_v − log q_v)                   [nats]
 *   ∂KL/∂z_j = p_j (log p_j − log q_j − KL) / T_θ           0 for tokens that are not kept
 * </pre>
 *
 * Source: the KL term of Fakoor et al. 2026, arXiv:2605.12380, Eq. 12. float64, max-shifted, summed
 * in vocabulary order. Detached: q. The kept tokens are those that the behaviour's filters (top-k,
 * top-p, min-p) left; renormalising p over the same set keeps the KL finite where the paper's is
 * not.
 */
public final class ExactKl {
  private final double value;
  private final double[] logitGradient;

  private ExactKl(double value, double[] logitGradient) {
    this.value = value;
    this.logitGradient = logitGradient;
  }

  /**
   * @param policyLogits z, [V]
   * @param policyTemperature T_θ, &gt; 0
   * @param behaviorLogits z_b, [V]
   * @param behaviorTemperature T_b, &gt; 0
   * @param kept tokens that could be sampled, [V], at least one
   */
  public static ExactKl of(
      double[] policyLogits,
      double policyTemperature,
      double[] behaviorLogits,
      double behaviorTemperature,
      boolean[] kept) {
    if (behaviorLogits.length != policyLogits.length || kept.length != policyLogits.length) {
      throw new IllegalArgumentException(
          "lengths differ: policyLogits %d, behaviorLogits %d, kept %d"
              .formatted(policyLogits.length, behaviorLogits.length, kept.length));
    }
    double[] policy = logSoftmax(policyLogits, policyTemperature, kept); // [V]
    double[] behavior = logSoftmax(behaviorLogits, behaviorTemperature, kept); // [V]
    double kl = 0;
    for (int v = 0; v < kept.length; v++) {
      if (kept[v]) {
        kl += Math.exp(policy[v]) * (policy[v] - behavior[v]);
      }
    }
    double[] gradient = new double[kept.length]; // [V]
    for (int v = 0; v < kept.length; v++) {
      if (kept[v]) {
        gradient[v] = Math.exp(policy[v]) * (policy[v] - behavior[v] - kl) / policyTemperature;
      }
    }
    return new ExactKl(kl, gradient);
  }

  /** KL(p ‖ q), nats. */
  public double value() {
    return value;
  }

  /** d KL / d policy logits, [V]. Owned by the caller. */
  public double[] logitGradient() {
    return logitGradient;
  }

  /** Log-probs over the kept tokens, [V]; −∞ elsewhere. */
  private static double[] logSoftmax(double[] logits, double temperature, boolean[] kept) {
    if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "temperature " + temperature + " is not a finite number > 0");
    }
    double max = Double.NEGATIVE_INFINITY;
    for (int v = 0; v < kept.length; v++) {
      max = kept[v] ? Math.max(max, logits[v]) : max;
    }
    if (max == Double.NEGATIVE_INFINITY) {
      throw new IllegalArgumentException("no token is kept");
    }
    double sum = 0;
    for (int v = 0; v < kept.length; v++) {
      sum += kept[v] ? Math.exp((logits[v] - max) / temperature) : 0;
    }
    double logSum = Math.log(sum);
    double[] logprobs = new double[kept.length];
    for (int v = 0; v < kept.length; v++) {
      logprobs[v] = kept[v] ? (logits[v] - max) / temperature - logSum : Double.NEGATIVE_INFINITY;
    }
    return logprobs;
  }
}
