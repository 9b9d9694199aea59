package org.p3ostream.learner.audit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;

/** The newest progress of every partition of `rollouts`. */
final class ProgressMap {

  private final Map<Integer, Long> nextOffsets = new TreeMap<>();
  private final Map<Integer, TreeMap<Long, Long>> ahead = new HashMap<>(); // last by first offset

  /**
   * Takes the progress after an event.
   *
   * @return partitions whose prefix went back
   */
  List<Integer> update(List<PartitionProgress> progress) {
    List<Integer> back =
        progress.stream()
            .filter(p -> p.getNextOffset() < nextOffset(p.getPartition()))
            .map(PartitionProgress::getPartition)
            .toList();
    for (PartitionProgress partition : progress) {
      TreeMap<Long, Long> ranges = new TreeMap<>();
      partition.getConsumedAhead().forEach(offset -> ranges.put(offset, offset));
      for (OffsetRange range : partition.getConsumedAheadRanges()) {
        ranges.put(range.getFromOffset(), range.getToOffset());
      }
      ahead.put(partition.getPartition(), ranges);
      nextOffsets.put(partition.getPartition(), partition.getNextOffset());
    }
    return back;
  }

  /** Every visible record below it is said to be trained or skipped. */
  long nextOffset(int partition) {
    return nextOffsets.getOrDefault(partition, 0L);
  }

  /** Whether a record is said to be trained or skipped. */
  boolean covers(int partition, long recordOffset) {
    if (recordOffset < nextOffset(partition)) {
      return true;
    }
    Map.Entry<Long, Long> range =
        ahead.getOrDefault(partition, new TreeMap<>()).floorEntry(recordOffset);
    return range != null && recordOffset <= range.getValue();
  }
}
