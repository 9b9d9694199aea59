package org.p3ostream.deploy.experiment.outcome;

import java.util.Map;
import java.util.TreeMap;

/**
 * Where the numbers of a run come from.
 *
 * @param topicPrefix of its topics
 * @param runHash SHA-256 of all that the run was told but its places; see the run's file
 * @param configHash SHA-256 of the training-relevant configuration, as every event has it
 * @param warmStart SHA-256 of the recipe of its warm start
 * @param initialWeightsSha256 weights of version 0
 * @param weightsSha256 weights of the newest version, of the ledger and of the rebuilt snapshot
 * @param firstOffset offset of the first event of the ledger
 * @param lastOffset offset of its last one
 * @param endOffsets first offset behind each partition, by topic without the prefix and partition
 */
public record RunTrace(
    String topicPrefix,
    String runHash,
    String configHash,
    String warmStart,
    String initialWeightsSha256,
    String weightsSha256,
    long firstOffset,
    long lastOffset,
    Map<String, Long> endOffsets) {
  public RunTrace {
    endOffsets = new TreeMap<>(endOffsets);
  }

  /** Ascending by topic and partition. */
  @Override
  public Map<String, Long> endOffsets() {
    return new TreeMap<>(endOffsets);
  }
}
