package org.p3ostream.rolloutproducer.backlog;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What one transaction publishes: results and, together with them, the offsets of their prompts.
 *
 * @param results in the order of partition and offset
 * @param nextOffsets per partition the position after its last finished prompt
 */
public record FinishedBatch<R>(
    List<R> results, Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
  public FinishedBatch {
    results = List.copyOf(results);
    nextOffsets = Map.copyOf(nextOffsets);
  }

  public boolean isEmpty() {
    return nextOffsets.isEmpty();
  }
}
