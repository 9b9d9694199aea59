package org.p3ostream.learner.train;

/**
 * A window needs the weights of a policy version whose snapshot cannot be had: trimmed, or not what
 * its manifest says. Nothing is computed in its place.
 */
public final class BehaviorSnapshotMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param version policy version
   * @param cause why its snapshot cannot be had
   */
  public BehaviorSnapshotMissingException(long version, String cause) {
    super("BEHAVIOUR_SNAPSHOT_MISSING: version " + version + ": " + cause);
  }
}
