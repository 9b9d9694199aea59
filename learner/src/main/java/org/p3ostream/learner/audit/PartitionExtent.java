package org.p3ostream.learner.audit;

/**
 * What of a partition is audited.
 *
 * @param firstOffset where the partition begins
 * @param knownEnd where it ended before the end of the ledger was taken: what lies below belongs to
 *     the ledger that is audited, what lies above may belong to events that came later
 * @param endOffset where it ended after that: the first offset that is not audited
 */
public record PartitionExtent(
    String topic, int partition, long firstOffset, long knownEnd, long endOffset) {}
