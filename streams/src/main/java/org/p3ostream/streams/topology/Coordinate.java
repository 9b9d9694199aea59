package org.p3ostream.streams.topology;

/**
 * Where a record of {@code rollouts} lies.
 *
 * @param partition partition of {@code rollouts}
 * @param recordOffset offset of the record in it
 */
record Coordinate(int partition, long recordOffset) {}
