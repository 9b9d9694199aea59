package org.p3ostream.learner.runtime;

import org.p3ostream.learner.commit.CommittedEvent;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.ledger.LedgerState;

/** Commits an event, and then lets all that rests on the ledger know: never the other way round. */
final class StepCommit {
  private final StepCommitter committer;
  private final LedgerState ledger;
  private final ManifestOffsets manifests;
  private final String snapshotsTopic;

  StepCommit(
      StepCommitter committer,
      LedgerState ledger,
      ManifestOffsets manifests,
      String snapshotsTopic) {
    this.committer = committer;
    this.ledger = ledger;
    this.manifests = manifests;
    this.snapshotsTopic = snapshotsTopic;
  }

  /**
   * Commits.
   *
   * @return milliseconds from begin to commit
   */
  double commit(PreparedEvent prepared) {
    CommittedEvent committed = committer.commit(prepared);
    ledger.apply(prepared.event(), prepared.eventHash());
    committed
        .lastOffset(snapshotsTopic)
        .ifPresent(offset -> manifests.committed(ledger.policyVersion(), offset));
    ledger.dispatched().oldestVersion().ifPresent(manifests::forgetBelow);
    return committed.millis();
  }
}
