package org.p3ostream.streams.live;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * How many records the newest events of the ledger passed over, and when. Not counted are those of
 * groups that are sampled again on purpose ({@code ZERO_VARIANCE}, {@code STALE}). Safe for several
 * threads.
 */
public final class DeadLetterTally {
  private static final int EVENTS_HELD = 2_000;
  private static final Set<RejectionReason> ON_PURPOSE =
      EnumSet.of(RejectionReason.ZERO_VARIANCE, RejectionReason.STALE);

  private record Passed(long committedAt, int records) {}

  private final Deque<Passed> events = new ArrayDeque<>();

  synchronized void add(StepEvent event) {
    int records =
        (int)
            event.getSkipped().stream()
                .map(SkippedRecord::getReason)
                .filter(reason -> !ON_PURPOSE.contains(reason))
                .count();
    if (records > 0) {
      events.addLast(new Passed(event.getCommittedAt(), records));
      if (events.size() > EVENTS_HELD) {
        events.removeFirst();
      }
    }
  }

  /** Records passed over by events committed at {@code from} (ms since the epoch) or later. */
  public synchronized int since(long from) {
    return events.stream()
        .filter(event -> event.committedAt() >= from)
        .mapToInt(Passed::records)
        .sum();
  }
}
