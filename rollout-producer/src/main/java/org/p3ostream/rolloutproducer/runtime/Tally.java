package org.p3ostream.rolloutproducer.runtime;

import org.p3ostream.schemas.snapshot.SnapshotEvent;

/** Running counts of the poll thread. */
final class Tally {
  private long groupsPublished;
  private long groupsFailed;
  private long tokensPublished;
  private long promptsSkipped;
  private long snapshotsLoaded;
  private long snapshotsCorrupt;
  private long snapshotsRefused;
  private long transactionsAborted;
  private long groupsDropped;

  void published(EncodedGroup group) {
    groupsPublished++;
    tokensPublished += group.responseTokens();
    if (group.failed()) {
      groupsFailed++;
    }
  }

  void promptSkipped() {
    promptsSkipped++;
  }

  void observed(SnapshotEvent event) {
    if (event instanceof SnapshotEvent.Loaded) {
      snapshotsLoaded++;
    } else if (event instanceof SnapshotEvent.Corrupt) {
      snapshotsCorrupt++;
    } else {
      snapshotsRefused++;
    }
  }

  void transactionAborted() {
    transactionsAborted++;
  }

  void groupDropped() {
    groupsDropped++;
  }

  ProducerStatus status(long policyVersion, String waitingFor) {
    return new ProducerStatus(
        groupsPublished,
        groupsFailed,
        tokensPublished,
        promptsSkipped,
        snapshotsLoaded,
        snapshotsCorrupt,
        snapshotsRefused,
        transactionsAborted,
        groupsDropped,
        policyVersion,
        waitingFor);
  }
}
