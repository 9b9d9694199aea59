package org.p3ostream.tests.fuzz;

/**
 * A record of `rollouts` and what must become of it.
 *
 * @param partition where it goes
 * @param value its bytes; null for none
 * @param label see {@link Labels}
 */
record FuzzedRecord(int partition, byte[] value, byte label) {}
