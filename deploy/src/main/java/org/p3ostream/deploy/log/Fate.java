package org.p3ostream.deploy.log;

import org.p3ostream.schemas.avro.RejectionReason;

/** What the ledger says about a rollout group. */
sealed interface Fate {

  /**
   * It was trained.
   *
   * @param step window that trained it
   * @param policyVersion version of the weights before the step
   */
  record Trained(long step, long policyVersion) implements Fate {}

  /**
   * It was passed over.
   *
   * @param step window that was trained or waited for at the time
   */
  record Skipped(long step, RejectionReason reason) implements Fate {}

  /** The ledger does not mention it (yet). */
  record Open() implements Fate {}

  /** The ledger was not asked. */
  record Unasked() implements Fate {}
}
