package org.p3ostream.streams.topology;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * A ledger event was committed.
 *
 * @param ledgerOffset its offset in the ledger topic: the order of the ledger
 * @param kind what it records
 * @param runId run of the ledger
 * @param step window it trains or waits for
 * @param trained records of its window
 * @param skipped records it passed over
 * @param consumption of {@code rollouts} after it, per partition
 * @param eventTime its event time, milliseconds since the epoch, see {@link EventTime}
 */
record LedgerFact(
    long ledgerOffset,
    StepKind kind,
    String runId,
    long step,
    List<Coordinate> trained,
    List<Coordinate> skipped,
    List<Consumption> consumption,
    long eventTime)
    implements Fact {

  /**
   * See {@code PartitionProgress}: a contiguous prefix and what was consumed beyond it, as single
   * offsets in older events and as ranges since. A store of before then lacks the ranges.
   */
  record Consumption(int partition, long nextOffset, Set<Long> consumedAhead, List<Range> ranges) {
    Consumption {
      consumedAhead = Set.copyOf(consumedAhead);
      ranges = List.copyOf(Objects.requireNonNullElse(ranges, List.of()));
    }

    static Consumption of(PartitionProgress progress) {
      return new Consumption(
          progress.getPartition(),
          progress.getNextOffset(),
          new HashSet<>(progress.getConsumedAhead()),
          progress.getConsumedAheadRanges().stream()
              .map(range -> new Range(range.getFromOffset(), range.getToOffset()))
              .toList());
    }

    boolean covers(Coordinate at) {
      long offset = at.recordOffset();
      return at.partition() == partition
          && (offset < nextOffset
              || consumedAhead.contains(offset)
              || ranges.stream().anyMatch(range -> range.contains(offset)));
    }
  }

  /** Offsets from one to another, both inclusive. */
  record Range(long fromOffset, long toOffset) {
    boolean contains(long offset) {
      return fromOffset <= offset && offset <= toOffset;
    }
  }

  static LedgerFact of(long ledgerOffset, StepEvent event, long eventTime) {
    return new LedgerFact(
        ledgerOffset,
        event.getKind(),
        event.getRunId(),
        event.getStep(),
        event.getWindow().stream()
            .map(entry -> new Coordinate(entry.getPartition(), entry.getRecordOffset()))
            .toList(),
        event.getSkipped().stream()
            .map(record -> new Coordinate(record.getPartition(), record.getRecordOffset()))
            .toList(),
        event.getProgress().stream().map(Consumption::of).toList(),
        eventTime);
  }

  /** True when the record at {@code at} was trained or skipped by this event or an earlier one. */
  boolean consumed(Coordinate at) {
    return consumption.stream().anyMatch(partition -> partition.covers(at));
  }
}
