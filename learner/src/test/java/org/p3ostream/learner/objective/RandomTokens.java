package org.p3ostream.learner.objective;

import java.util.SplittableRandom;

/** Random per-token inputs of objectives. */
public final class RandomTokens {

  private RandomTokens() {}

  /**
   * Tokens with log ratios up to {@code maxLogRatio} nats either way; about a quarter is masked and
   * holds NaN. The first token is valid.
   */
  public static TokenBatch batch(SplittableRandom random, int length, double maxLogRatio) {
    return draw(random, length, maxLogRatio, 0.25);
  }

  /** As {@link #batch}, with every token valid. */
  public static TokenBatch valid(SplittableRandom random, int length, double maxLogRatio) {
    return draw(random, length, maxLogRatio, 0);
  }

  /**
   * As {@link #batch}, with what any objective may need: responses of about eight tokens, a
   * proximal policy near the policy, KL, entropies and reference log-probs.
   */
  public static TokenBatch complete(SplittableRandom random, int length, double maxLogRatio) {
    TokenBatch batch = batch(random, length, maxLogRatio);
    int[] sequences = new int[length];
    double[] proximal = new double[length];
    double[] kl = new double[length];
    double[] entropies = new double[length];
    double[] reference = new double[length];
    for (int t = 0; t < length; t++) {
      sequences[t] = 3 * (t / 8); // numbers need not follow each other
      proximal[t] = batch.logprob(t) + grid(0.5 * random.nextDouble() - 0.25);
      kl[t] = batch.isValid(t) ? random.nextDouble() : Double.NaN;
      entropies[t] = batch.isValid(t) ? 3 * random.nextDouble() : Double.NaN;
      reference[t] = batch.logprob(t) + grid(2 * random.nextDouble() - 1);
    }
    return batch
        .withSequences(sequences)
        .withProximalLogprobs(proximal)
        .withExactKl(kl)
        .withEntropies(entropies)
        .withReferenceLogprobs(reference);
  }

  /** A masked token full of NaN before each token of {@code dense}, which is all valid. */
  static TokenBatch withMaskedNaNsBetween(TokenBatch dense) {
    int length = 2 * dense.length();
    double[] logprobs = new double[length];
    double[] behaviorLogprobs = new double[length];
    double[] advantages = new double[length];
    boolean[] valid = new boolean[length];
    for (int t = 0; t < length; t++) {
      valid[t] = t % 2 == 1;
      logprobs[t] = valid[t] ? dense.logprob(t / 2) : Double.NaN;
      behaviorLogprobs[t] = valid[t] ? dense.logprob(t / 2) - dense.logRatio(t / 2) : Double.NaN;
      advantages[t] = valid[t] ? dense.advantage(t / 2) : Double.NaN;
    }
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid);
  }

  private static TokenBatch draw(
      SplittableRandom random, int length, double maxLogRatio, double maskedFraction) {
    double[] logprobs = new double[length];
    double[] behaviorLogprobs = new double[length];
    double[] advantages = new double[length];
    boolean[] valid = new boolean[length];
    for (int t = 0; t < length; t++) {
      valid[t] = t == 0 || random.nextDouble() >= maskedFraction;
      // multiples of 2^-20, so that the log ratio and its two parts agree exactly
      logprobs[t] = valid[t] ? grid(-5 * random.nextDouble()) : Double.NaN;
      behaviorLogprobs[t] = logprobs[t] - grid(maxLogRatio * (2 * random.nextDouble() - 1));
      advantages[t] = valid[t] ? 4 * random.nextDouble() - 2 : Double.NaN;
    }
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid);
  }

  private static double grid(double value) {
    return Math.rint(value * (1 << 20)) / (1 << 20);
  }
}
