package org.p3ostream.streams.topology;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.ratio.RatioStatistics;
import org.p3ostream.streams.state.VersionFigures;

/**
 * A ledger event was committed.
 *
 * @param ledgerOffset its offset in the ledger topic: the order of the ledger
 * @param kind what it records
 * @param step window it trains or waits for
 * @param policyVersionBefore version that its window was trained on
 * @param trained records of its window
 * @param skipped records it passed over
 * @param missing groups of its window that never came
 * @param dispatched prompts it sent
 * @param consumption of {@code rollouts} after it, per partition
 * @param ratios ratio statistics of its window, by the version that sampled the tokens
 * @param lagWindows the learner's own figure; null if it gave none
 * @param sentAt when it was sent, milliseconds since the epoch
 * @param eventTime its event time, see {@link EventTime}
 */
record LedgerFact(
    long ledgerOffset,
    StepKind kind,
    long step,
    long policyVersionBefore,
    List<TrainedGroup> trained,
    List<Coordinate> skipped,
    List<Long> missing,
    List<Dispatched> dispatched,
    List<Consumption> consumption,
    List<VersionFigures> ratios,
    @Nullable Integer lagWindows,
    long sentAt,
    long eventTime)
    implements Fact {

  /** A group of the window. */
  record TrainedGroup(Coordinate at, long groupId, int attempt) {}

  /** A prompt that was sent. */
  record Dispatched(long groupId, int attempt) {}

  /**
   * See {@code PartitionProgress}: a contiguous prefix and what was consumed beyond it, as single
   * offsets in older events and as ranges since.
   */
  record Consumption(int partition, long nextOffset, Set<Long> consumedAhead, List<Range> ranges) {
    Consumption {
      consumedAhead = Set.copyOf(consumedAhead);
      ranges = List.copyOf(ranges);
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

  static LedgerFact of(long ledgerOffset, StepEvent event, long sentAt) {
    return new LedgerFact(
        ledgerOffset,
        event.getKind(),
        event.getStep(),
        event.getPolicyVersionBefore(),
        event.getWindow().stream()
            .map(
                entry ->
                    new TrainedGroup(
                        new Coordinate(entry.getPartition(), entry.getRecordOffset()),
                        entry.getGroupId(),
                        entry.getAttempt()))
            .toList(),
        event.getSkipped().stream()
            .map(record -> new Coordinate(record.getPartition(), record.getRecordOffset()))
            .toList(),
        List.copyOf(event.getMissingGroups()),
        event.getDispatched().stream()
            .map(group -> new Dispatched(group.getGroupId(), group.getAttempt()))
            .toList(),
        event.getProgress().stream().map(Consumption::of).toList(),
        event.getRatioStatistics().stream()
            .map(version -> ratios(version, event.getStep()))
            .toList(),
        event.getMetrics() == null ? null : event.getMetrics().getLagWindows(),
        sentAt,
        EventTime.of(event, sentAt));
  }

  private static VersionFigures ratios(VersionRatioStatistics version, long step) {
    RatioStatistics statistics =
        new RatioStatistics(
            version.getLogSumRatio(), version.getLogSumSquaredRatio(), version.getTokenCount());
    return VersionFigures.of(version.getPolicyVersion(), statistics, step);
  }

  /** Whether it trained or passed a window. */
  boolean hasWindow() {
    return kind == StepKind.STEP || kind == StepKind.NO_OP;
  }

  /**
   * Whether the records of its window lie in the topic of another run, as those of a fork do: then
   * its progress, which is of this run's topic, does not cover them.
   */
  boolean liesElsewhere() {
    return trained.stream().anyMatch(group -> !consumed(group.at()));
  }

  /** True when the record at {@code at} was trained or skipped by this event or an earlier one. */
  boolean consumed(Coordinate at) {
    return consumption.stream().anyMatch(partition -> partition.covers(at));
  }
}
