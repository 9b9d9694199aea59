/**
 * The vocabulary of metrics: every name with its unit and formula, and the pure functions from a
 * ledger event to its metric points. No Kafka, no I/O, any thread.
 */
@NullMarked
package org.p3ostream.streams.metric;

import org.jspecify.annotations.NullMarked;
