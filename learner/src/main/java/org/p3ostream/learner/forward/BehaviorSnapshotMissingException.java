package org.p3ostream.learner.forward;

/**
 * The weights of a policy version are needed and its snapshot cannot be had: trimmed, or not what
 * its manifest says. Nothing is computed in its place.
 */
public final class BehaviorSnapshotMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final boolean damaged;

  /**
   * One that is gone.
   *
   * @param version policy version
   * @param reason why its snapshot cannot be had
   */
  public BehaviorSnapshotMissingException(long version, String reason) {
    this(version, reason, false);
  }

  /**
   * @param version policy version
   * @param reason why its snapshot cannot be had
   * @param damaged whether it is there and not what it should be
   */
  public BehaviorSnapshotMissingException(long version, String reason, boolean damaged) {
    super("BEHAVIOUR_SNAPSHOT_MISSING: version " + version + ": " + reason);
    this.reason = reason;
    this.damaged = damaged;
  }

  /** Why the snapshot cannot be had. */
  public String reason() {
    return reason;
  }

  /** Whether the snapshot is there and not what it should be; else it is gone. */
  public boolean isDamaged() {
    return damaged;
  }
}
