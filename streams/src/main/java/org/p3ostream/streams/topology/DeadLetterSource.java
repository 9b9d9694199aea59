package org.p3ostream.streams.topology;

/**
 * Where the record lies that a dead letter is about.
 *
 * @param recordOffset offset of the record
 * @param partition partition of it
 * @param topic topic of it
 */
record DeadLetterSource(long recordOffset, int partition, String topic) {}
