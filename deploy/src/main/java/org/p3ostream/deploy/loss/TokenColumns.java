package org.p3ostream.deploy.loss;

import java.util.Arrays;
import org.p3ostream.learner.objective.TokenBatch;

/** The tokens of one micro-batch, column by column, [T]. Grows while it is read. */
final class TokenColumns {
  private double[] logprobs = new double[16]; // nats; NaN where missing, which only masked ones may
  private double[] behaviorLogprobs = new double[16];
  private double[] advantages = new double[16];
  private double[] proximalLogprobs = new double[16];
  private double[] staleness = new double[16]; // versions; NaN where unsaid
  private int[] responses = new int[16];
  private boolean[] valid = new boolean[16];
  private int length;

  void add(TokenParser token) {
    if (length == valid.length) {
      grow(2 * length);
    }
    logprobs[length] = token.value(TokenParser.Figure.LOGPROB);
    behaviorLogprobs[length] = token.value(TokenParser.Figure.BEHAVIOR_LOGPROB);
    advantages[length] = token.value(TokenParser.Figure.ADVANTAGE);
    double proximal = token.value(TokenParser.Figure.PROXIMAL_LOGPROB);
    proximalLogprobs[length] = Double.isNaN(proximal) ? logprobs[length] : proximal;
    staleness[length] = token.value(TokenParser.Figure.STALENESS);
    responses[length] = token.response();
    valid[length] = token.isValid();
    length++;
  }

  private void grow(int capacity) {
    logprobs = Arrays.copyOf(logprobs, capacity);
    behaviorLogprobs = Arrays.copyOf(behaviorLogprobs, capacity);
    advantages = Arrays.copyOf(advantages, capacity);
    proximalLogprobs = Arrays.copyOf(proximalLogprobs, capacity);
    staleness = Arrays.copyOf(staleness, capacity);
    responses = Arrays.copyOf(responses, capacity);
    valid = Arrays.copyOf(valid, capacity);
  }

  /** T, valid or not. */
  int length() {
    return length;
  }

  boolean isValid(int t) {
    return valid[t];
  }

  double logprob(int t) {
    return logprobs[t];
  }

  double behaviorLogprob(int t) {
    return behaviorLogprobs[t];
  }

  /** l = log π_θ − log π_b, nats. */
  double logRatio(int t) {
    return logprobs[t] - behaviorLogprobs[t];
  }

  /** Versions; NaN where the file does not say. */
  double staleness(int t) {
    return staleness[t];
  }

  /** The same as an objective takes it. */
  TokenBatch batch() {
    return new TokenBatch(
            Arrays.copyOf(logprobs, length),
            Arrays.copyOf(behaviorLogprobs, length),
            Arrays.copyOf(advantages, length),
            Arrays.copyOf(valid, length))
        .withSequences(Arrays.copyOf(responses, length))
        .withProximalLogprobs(Arrays.copyOf(proximalLogprobs, length));
  }
}
