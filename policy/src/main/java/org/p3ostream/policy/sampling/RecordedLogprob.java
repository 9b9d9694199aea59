package org.p3ostream.policy.sampling;

/**
 * The distribution that a sampler takes the log-prob of a token from. What is drawn is the same.
 */
public enum RecordedLogprob {
  /** The one it was drawn from: temperature and filters included. */
  SAMPLING,
  /** The model's: temperature 1, no filter. */
  RAW
}
