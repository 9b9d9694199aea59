package org.p3ostream.learner.forward;

/**
 * The weights of a policy version are needed and its snapshot cannot be had: trimmed, or not what
 * its manifest says. Nothing is computed in its place.
 */
public final class BehaviorSnapshotMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * @param version policy version
   * @param reason why its snapshot cannot be had
   */
  public BehaviorSnapshotMissingException(long version, String reason) {
    super("BEHAVIOUR_SNAPSHOT_MISSING: version " + version + ": " + reason);
    this.reason = reason;
  }

  /** Why the snapshot cannot be had. */
  public String reason() {
    return reason;
  }
}
