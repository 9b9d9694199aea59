package org.p3ostream.learner.objective;

import org.jspecify.annotations.Nullable;

/**
 * Per-token inputs of an objective. Owns nothing: the arrays are the caller's and are not changed.
 *
 * <p>All arrays are [T]. Entries whose {@code valid} is false may hold anything, NaN included. What
 * only some objectives need is added by the {@code with} methods; asking for what was not added
 * throws {@link IllegalStateException}.
 */
public final class TokenBatch {
  private final double[] logprobs;
  private final double[] behaviorLogprobs;
  private final double[] advantages;
  private final boolean[] valid;
  private final Extras extras;

  /** Inputs that only some objectives need, each [T]. */
  private static final class Extras {
    static final Extras NONE = new Extras(null, null, null, null, null);

    final int @Nullable [] sequences;
    final double @Nullable [] proximalLogprobs;
    final double @Nullable [] exactKl;
    final double @Nullable [] referenceLogprobs;
    final double @Nullable [] entropies;

    Extras(
        int @Nullable [] sequences,
        double @Nullable [] proximalLogprobs,
        double @Nullable [] exactKl,
        double @Nullable [] referenceLogprobs,
        double @Nullable [] entropies) {
      this.sequences = sequences;
      this.proximalLogprobs = proximalLogprobs;
      this.exactKl = exactKl;
      this.referenceLogprobs = referenceLogprobs;
      this.entropies = entropies;
    }
  }

  /**
   * @param logprobs log π_θ, nats
   * @param behaviorLogprobs log π_b, nats
   * @param advantages A, dimensionless
   * @param valid whether the token takes part
   */
  public TokenBatch(
      double[] logprobs, double[] behaviorLogprobs, double[] advantages, boolean[] valid) {
    this(logprobs, behaviorLogprobs, advantages, valid, Extras.NONE);
    if (behaviorLogprobs.length != logprobs.length
        || advantages.length != logprobs.length
        || valid.length != logprobs.length) {
      throw new IllegalArgumentException(
          "lengths differ: logprobs %d, behaviorLogprobs %d, advantages %d, valid %d"
              .formatted(
                  logprobs.length, behaviorLogprobs.length, advantages.length, valid.length));
    }
  }

  private TokenBatch(
      double[] logprobs,
      double[] behaviorLogprobs,
      double[] advantages,
      boolean[] valid,
      Extras extras) {
    this.logprobs = logprobs;
    this.behaviorLogprobs = behaviorLogprobs;
    this.advantages = advantages;
    this.valid = valid;
    this.extras = extras;
  }

  /** With other log-probs of the policy, nats, [T]. */
  public TokenBatch withLogprobs(double[] changed) {
    requireLength("changed", changed.length);
    return new TokenBatch(changed, behaviorLogprobs, advantages, valid, extras);
  }

  /**
   * With the response each token belongs to; a response must lie whole in the batch.
   *
   * @param sequences any number ≥ 0 that no two responses share, [T]
   */
  public TokenBatch withSequences(int[] sequences) {
    requireLength("sequences", sequences.length);
    return with(
        new Extras(
            sequences,
            extras.proximalLogprobs,
            extras.exactKl,
            extras.referenceLogprobs,
            extras.entropies));
  }

  /** With log-probs of the proximal policy, nats, [T]. */
  public TokenBatch withProximalLogprobs(double[] proximalLogprobs) {
    requireLength("proximalLogprobs", proximalLogprobs.length);
    return with(
        new Extras(
            extras.sequences,
            proximalLogprobs,
            extras.exactKl,
            extras.referenceLogprobs,
            extras.entropies));
  }

  /** With KL(π_θ ‖ π_b) over the full vocabulary at each token, nats, [T]; see {@link ExactKl}. */
  public TokenBatch withExactKl(double[] exactKl) {
    requireLength("exactKl", exactKl.length);
    return with(
        new Extras(
            extras.sequences,
            extras.proximalLogprobs,
            exactKl,
            extras.referenceLogprobs,
            extras.entropies));
  }

  /** With log-probs of the reference policy, nats, [T]. */
  public TokenBatch withReferenceLogprobs(double[] referenceLogprobs) {
    requireLength("referenceLogprobs", referenceLogprobs.length);
    return with(
        new Extras(
            extras.sequences,
            extras.proximalLogprobs,
            extras.exactKl,
            referenceLogprobs,
            extras.entropies));
  }

  /** With the entropy of π_θ at each token, nats, [T]. */
  public TokenBatch withEntropies(double[] entropies) {
    requireLength("entropies", entropies.length);
    return with(
        new Extras(
            extras.sequences,
            extras.proximalLogprobs,
            extras.exactKl,
            extras.referenceLogprobs,
            entropies));
  }

  /** T, valid or not. */
  public int length() {
    return logprobs.length;
  }

  public boolean isValid(int t) {
    return valid[t];
  }

  /** log π_θ, nats. */
  public double logprob(int t) {
    return logprobs[t];
  }

  /** log π_b, nats. */
  public double behaviorLogprob(int t) {
    return behaviorLogprobs[t];
  }

  public double advantage(int t) {
    return advantages[t];
  }

  /** l = log π_θ − log π_b, nats. */
  public double logRatio(int t) {
    return logprobs[t] - behaviorLogprobs[t];
  }

  /** Log ratios of all tokens, [T]; meaningless where not valid. */
  public double[] logRatios() {
    double[] logRatios = new double[length()];
    for (int t = 0; t < logRatios.length; t++) {
      logRatios[t] = logRatio(t);
    }
    return logRatios;
  }

  /** Which tokens take part, [T]; a copy. */
  public boolean[] validMask() {
    return valid.clone();
  }

  /** The response token t belongs to. */
  public int sequence(int t) {
    return required(extras.sequences, "the response of each token: withSequences")[t];
  }

  /** log π_prox, nats; that of π_θ itself where none was given. */
  public double proximalLogprob(int t) {
    return extras.proximalLogprobs == null ? logprobs[t] : extras.proximalLogprobs[t];
  }

  /** KL(π_θ ‖ π_b) over the full vocabulary, nats. */
  public double exactKl(int t) {
    return required(extras.exactKl, "the full-vocabulary KL of each token: withExactKl")[t];
  }

  /** log π_ref, nats. */
  public double referenceLogprob(int t) {
    return required(
        extras.referenceLogprobs, "reference log-probs of each token: withReferenceLogprobs")[t];
  }

  /** Entropy of π_θ, nats. */
  public double entropy(int t) {
    return required(extras.entropies, "the entropy at each token: withEntropies")[t];
  }

  private TokenBatch with(Extras changed) {
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid, changed);
  }

  private void requireLength(String name, int length) {
    if (length != logprobs.length) {
      throw new IllegalArgumentException(
          "lengths differ: logprobs " + logprobs.length + ", " + name + " " + length);
    }
  }

  private static <T> T required(@Nullable T extra, String what) {
    if (extra == null) {
      throw new IllegalStateException("the objective needs " + what);
    }
    return extra;
  }
}
