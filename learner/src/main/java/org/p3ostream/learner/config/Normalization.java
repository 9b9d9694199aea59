package org.p3ostream.learner.config;

/** What the losses of the tokens are divided by. */
public enum Normalization {
  /** The valid tokens of the whole step. */
  TOKEN_MEAN,
  /** The tokens of each response, then the responses. */
  SAMPLE_MEAN
}
