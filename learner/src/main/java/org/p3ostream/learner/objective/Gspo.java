package org.p3ostream.learner.objective;

import java.util.HashMap;
import java.util.Map;

/**
 * GSPO in its token form: one importance ratio per response.
 *
 * <pre>
 *   s    = exp( (1/|y|) Σ_{t∈y} (log π_θ(y_t) − log π_b(y_t)) )           per response y, valid tokens only
 *   s_t  = sg(s) · π_θ(y_t) / sg(π_θ(y_t))
 *   loss = (1/N) Σ_t max(−s_t A_t, −clip(s_t, 1 − clipLow, 1 + clipHigh) A_t)
 * </pre>
 *
 * Source: Zheng et al. 2025, arXiv:2507.18071, Eq. 7 (s), Eq. 13 and 14 (GSPO-token). float64;
 * summed in token order. Detached: s and A. The gradient is −s A / N, 0 where the clip acts; with
 * one advantage per response that is the gradient of sequence-level GSPO, whose d s / d log
 * π_θ(y_t) is s / |y|. Deviation: normalised by the valid tokens of the step, where the paper
 * averages each response first, so that a long response weighs more here.
 *
 * @param clipLow ε below 1; 3e-4 in the paper
 * @param clipHigh ε above 1; 4e-4 in the paper
 */
public record Gspo(double clipLow, double clipHigh) implements Objective {
  public Gspo {
    new ClippedSurrogate(clipLow, clipHigh);
  }

  @Override
  public String id() {
    return "gspo/" + brief(clipLow) + "/" + brief(clipHigh);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Every response of {@code tokens} must be whole.
   */
  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    ClippedSurrogate surrogate = new ClippedSurrogate(clipLow, clipHigh);
    Map<Integer, Mean> logRatios = meanLogRatios(tokens);
    LossAccumulator losses = new LossAccumulator(tokens, context);
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        double ratio = Math.exp(logRatios.getOrDefault(tokens.sequence(t), new Mean()).value());
        surrogate.addTo(losses, t, ratio, tokens.advantage(t), 1, false);
      }
    }
    return losses.losses();
  }

  private static Map<Integer, Mean> meanLogRatios(TokenBatch tokens) {
    Map<Integer, Mean> means = new HashMap<>();
    for (int t = 0; t < tokens.length(); t++) {
      if (tokens.isValid(t)) {
        means.computeIfAbsent(tokens.sequence(t), sequence -> new Mean()).add(tokens.logRatio(t));
      }
    }
    return means;
  }

  private static final class Mean {
    private double sum;
    private int count;

    void add(double value) {
      sum += value;
      count++;
    }

    double value() {
      return sum / count;
    }
  }

  /** 3e-4 rather than Java's 3.0E-4. */
  private static String brief(double value) {
    return Double.toString(value).replace(".0E", "e").replace("E", "e");
  }
}
