package org.p3ostream.streams.topology;

import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * Event time, milliseconds since the epoch: end of generation of a rollout group, preparation of a
 * ledger event, rejection of a dead letter. A record cannot be older than zero nor tell of
 * something after it was sent: such a claim is replaced by the time it was sent, see {@link
 * SentTime}.
 */
final class EventTime {
  private EventTime() {}

  static long of(RolloutGroup group, long sentAt) {
    return plausible(group.getGeneratedAt(), sentAt);
  }

  static long of(StepEvent event, long sentAt) {
    return plausible(event.getCommittedAt(), sentAt);
  }

  static long of(DeadLetter letter, long sentAt) {
    return plausible(letter.getRejectedAt(), sentAt);
  }

  private static long plausible(long claimed, long sentAt) {
    return claimed >= 0 && claimed <= sentAt ? claimed : sentAt;
  }
}
