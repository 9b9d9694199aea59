package org.p3ostream.learner.audit;

import org.p3ostream.schemas.avro.RejectionReason;

/** What the ledger says became of a rollout record. */
sealed interface Naming {

  /** Window whose event says so. */
  long step();

  /** It is in the window of a STEP, or of a NO_OP. */
  record InWindow(long step, long groupId, int attempt, long policyVersion) implements Naming {}

  /**
   * It was not trained.
   *
   * @param eventOffset offset of the event in the ledger
   */
  record Skipped(long step, long eventOffset, RejectionReason reason) implements Naming {}
}
