package org.p3ostream.learner.forward;

/**
 * Weights of the policy versions that tokens were sampled by. Every version is the same weights
 * each time it is asked for. Safe to call from the threads of all replicas.
 */
@FunctionalInterface
public interface BehaviorWeights {

  /**
   * Weights of one version.
   *
   * @return flat weights in layout order, [P]; not to be changed
   * @throws BehaviorSnapshotMissingException if its snapshot cannot be had
   */
  float[] of(long version);
}
