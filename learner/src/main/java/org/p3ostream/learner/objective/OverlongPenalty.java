package org.p3ostream.learner.objective;

/**
 * DAPO's soft penalty on overlong responses, added to the reward.
 *
 * <pre>
 *   penalty(n) = factor · { 0                                if n ≤ maxTokens − bufferTokens
 *                         { (maxTokens − bufferTokens − n) / bufferTokens   up to maxTokens
 *                         { −1                               above
 * </pre>
 *
 * Source: Yu et al. 2025, arXiv:2503.14476, Eq. 13 (factor 1). Deviation: a buffer of 0 tokens
 * means no penalty at all.
 *
 * @param maxTokens longest response, tokens, ≥ 1
 * @param bufferTokens length over which the penalty grows, tokens, in [0, maxTokens]
 * @param factor penalty of the longest response, ≥ 0
 */
public record OverlongPenalty(int maxTokens, int bufferTokens, double factor) {
  public OverlongPenalty {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("maxTokens " + maxTokens + " is not >= 1");
    }
    if (bufferTokens < 0 || bufferTokens > maxTokens) {
      throw new IllegalArgumentException(
          "bufferTokens " + bufferTokens + " is not in [0, " + maxTokens + "]");
    }
    if (!(factor >= 0 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("factor " + factor + " is not a finite number >= 0");
    }
  }

  /**
   * What is added to the reward of a response, ≤ 0.
   *
   * @param length tokens of the response
   */
  public double of(int length) {
    int room = maxTokens - bufferTokens - Math.min(length, maxTokens); // tokens, < 0 in the buffer
    return bufferTokens == 0 ? 0 : factor * Math.min(0, room) / bufferTokens;
  }
}
