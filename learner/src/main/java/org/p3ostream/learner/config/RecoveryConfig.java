package org.p3ostream.learner.config;

/**
 * What a learner demands of the steps that it executes again.
 *
 * @param verify EXACT: the weights are those of the ledger, bit for bit; TOLERANCE: where they are
 *     not, none may be further than {@code tolerance} from the weights in the snapshot of that
 *     version, and training goes on with the snapshot's
 * @param tolerance largest difference of any weight, absolute, ≥ 0; for hardware that does not give
 *     the same bits again
 */
public record RecoveryConfig(Verify verify, double tolerance) {

  /** How weights are compared. */
  public enum Verify {
    EXACT,
    TOLERANCE
  }

  public RecoveryConfig {
    if (!(tolerance >= 0 && Double.isFinite(tolerance))) {
      throw new IllegalArgumentException(
          "recovery.tolerance: " + tolerance + " must be >= 0 and finite");
    }
  }

  public static RecoveryConfig defaults() {
    return new RecoveryConfig(Verify.EXACT, 1e-5);
  }
}
