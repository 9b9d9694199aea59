package org.p3ostream.learner.audit;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RejectionReason;

/**
 * What is remembered of a dead letter until record and ledger have answered to it.
 *
 * @param where its own coordinate
 * @param known whether it must belong to an event of the audited ledger
 */
record LetterFacts(
    String where,
    boolean known,
    RejectionReason reason,
    @Nullable Long groupId,
    @Nullable Integer attempt,
    int valueBytes) {

  static LetterFacts of(AuditedRecord record, DeadLetter letter, boolean known) {
    return new LetterFacts(
        record.coordinate(),
        known,
        letter.getReason(),
        letter.getGroupId(),
        letter.getAttempt(),
        letter.getValueBytes());
  }
}
