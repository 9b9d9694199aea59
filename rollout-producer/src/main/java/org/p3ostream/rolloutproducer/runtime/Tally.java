package org.p3ostream.rolloutproducer.runtime;

import java.util.List;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.snapshot.SnapshotEvent;

/** Running counts of the poll thread. */
final class Tally {
  private final ProducerObserver observer;
  private long groupsPublished;
  private long groupsFailed;
  private long responsesPublished;
  private long tokensPublished;
  private long promptsSkipped;
  private long snapshotsLoaded;
  private long snapshotsCorrupt;
  private long snapshotsRefused;
  private long transactionsAborted;
  private long groupsDropped;

  Tally() {
    this(ProducerObserver.NONE);
  }

  /**
   * @param observer told of what takes time
   */
  Tally(ProducerObserver observer) {
    this.observer = observer;
  }

  /** A group has been sampled, or refused. */
  void sampled(RolloutGroup group) {
    if (group.getFailure() == null) {
      observer.sampled(group.getGenerationMillis());
    }
  }

  /** The groups of a transaction have been published. */
  void published(List<EncodedGroup> groups, double millis) {
    groups.forEach(this::published);
    observer.published(millis);
  }

  private void published(EncodedGroup group) {
    groupsPublished++;
    responsesPublished += group.responses();
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
        responsesPublished,
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
