package org.p3ostream.learner.config;

/** A factor on top of an objective against the mismatch of the two sides of the ratio. */
public enum Correction {
  NONE,
  TRUNCATED_IMPORTANCE_SAMPLING,
  DECOUPLED
}
