package org.p3ostream.schemas.topic;

import java.util.Map;

/**
 * One topic as the learner creates it.
 *
 * @param name full name, prefix included
 * @param partitions number of partitions
 * @param settings topic-level settings
 */
public record TopicSpec(String name, int partitions, Map<String, String> settings) {

  public TopicSpec {
    if (partitions < 1) {
      throw new IllegalArgumentException(name + ": partitions must be >= 1, was " + partitions);
    }
    settings = Map.copyOf(settings);
  }

  /** Partition of a record that belongs to {@code groupId}: groupId mod partitions. */
  public int partitionOf(long groupId) {
    return Math.floorMod(groupId, partitions);
  }
}
