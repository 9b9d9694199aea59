package org.p3ostream.deploy.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.deploy.log.Span;
import org.p3ostream.learner.audit.PartitionExtent;

/**
 * How far every partition is read, while a run may be going on. The end of the ledger is taken
 * between two looks at the other partitions: what lies below the first look must be in the ledger,
 * and what the ledger names must lie below the second.
 */
final class AuditSpans {

  private final List<PartitionExtent> extents = new ArrayList<>();

  /**
   * Looks at the partitions.
   *
   * @param ledger partition of the ledger that is audited
   * @param partitions of all topics that exist, the ledger's too
   */
  AuditSpans(
      Consumer<byte[], byte[]> consumer, TopicPartition ledger, List<TopicPartition> partitions) {
    Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> known = consumer.endOffsets(partitions);
    Map<TopicPartition, Long> ledgerEnd =
        partitions.contains(ledger) ? consumer.endOffsets(List.of(ledger)) : Map.of();
    Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
    ends.putAll(ledgerEnd);
    for (TopicPartition partition : partitions) {
      extents.add(
          new PartitionExtent(
              partition.topic(),
              partition.partition(),
              first.getOrDefault(partition, 0L),
              known.getOrDefault(partition, 0L),
              ends.getOrDefault(partition, 0L)));
    }
  }

  static List<TopicPartition> partitions(String topic, int count) {
    return IntStream.range(0, count).mapToObj(p -> new TopicPartition(topic, p)).toList();
  }

  List<PartitionExtent> extents() {
    return List.copyOf(extents);
  }

  Map<TopicPartition, Span> spans() {
    Map<TopicPartition, Span> spans = new HashMap<>();
    extents.forEach(
        extent ->
            spans.put(
                new TopicPartition(extent.topic(), extent.partition()),
                new Span(extent.firstOffset(), extent.endOffset())));
    return spans;
  }

  /** Offsets there are to read. */
  long offsets() {
    return extents.stream().mapToLong(e -> e.endOffset() - e.firstOffset()).sum();
  }
}
