/**
 * The Kafka Streams topology from {@code rollouts} and {@code steps} to {@code metrics}.
 *
 * <pre>
 *   steps ──────┬─ learner's report, staleness ──────────────────────────► metrics
 *               └─ LedgerFact ──┐
 *   rollouts ──── RolloutFact ──┴─► facts (one partition) ─► accounting ─► metrics
 * </pre>
 *
 * What a ledger event says by itself is written at once. What needs both topics goes through {@code
 * facts}, a repartition topic of one partition, which puts what happened in all partitions of the
 * run into one order; the accounting is then a function of that order. Runs on one stream thread,
 * exactly once.
 */
@NullMarked
package org.p3ostream.streams.topology;

import org.jspecify.annotations.NullMarked;
