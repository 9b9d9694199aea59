/**
 * The Kafka Streams topology from {@code rollouts}, {@code steps} and {@code dead-letters} to
 * {@code metrics}, and to the state that queries read.
 *
 * <pre>
 *   steps ──────┬─ learner's report, staleness ──────────────────────────► metrics
 *               └─ LedgerFact ──┐
 *   rollouts ──── RolloutFact ──┴─► facts (one partition) ─► accounting ─► metrics, state
 *   dead-letters ────────────────────────────────────────► accounting ─► metrics, state
 * </pre>
 *
 * What a ledger event says by itself is written at once. What needs both topics goes through {@code
 * facts}, a repartition topic of one partition, which puts what happened in all partitions of the
 * run into one order; the accounting is then a function of that order. Dead letters have one
 * partition and need nothing else: they are counted where they are read. Runs on one stream thread,
 * exactly once (v2): what was read, what was written, what was stored is one transaction over all
 * tasks, so a process that is killed anywhere neither loses nor doubles anything.
 *
 * <p><b>Times.</b> The time of a record is when it was sent ({@link
 * org.p3ostream.streams.topology.SentTime}): it says when the record became visible. What the
 * record tells of happened at its event time ({@link org.p3ostream.streams.topology.EventTime}):
 * rates, ages, latencies and points use that one.
 *
 * <p><b>Late data and order.</b> No figure is a window that closes. Per-window figures belong to a
 * ledger event, which names its records by coordinate, and are written in the order of the ledger
 * once all of these were seen, however late. Lag counts records by when they were sent, and waits
 * until every partition was seen so far. Counts per producer are whole numbers by intervals of
 * event time, which commute. So the state, and every point but those with label {@code producer},
 * is a function of the log: another pass from its beginning, with another application id, comes to
 * the same. Points of producers are of the moment at which they were written. Exceptions: an event
 * whose records do not come for 15 seconds in which nothing else comes either, or of which more
 * wait than stated below, is settled with what is there; and so is one for three such seconds that
 * lacks nothing but later records in some partition, as the last ones of a run do, or when that
 * partition alone is silent for 15 seconds. Such seconds are counted only while the process runs
 * and a broker answers it ({@link org.p3ostream.streams.topology.ListeningTime}).
 *
 * <p><b>Repartitioning.</b> Facts are some 300 bytes and carry no rollout. One partition is a limit
 * that is far away: it takes what one stream thread can read.
 *
 * <p><b>Retention.</b> Every store is in memory with a compacted changelog, and has a bound:
 *
 * <table>
 *   <caption>Stores</caption>
 *   <tr><th>store<th>holds<th>until
 *   <tr><td>rollouts-outstanding<td>records that no settled event consumed<td>one consumes them; at most
 *       100,000, what comes beyond is only counted
 *   <tr><td>rollouts-passed<td>a line per partition of {@code rollouts}<td>–
 *   <tr><td>ledger-waiting<td>events that were read and not settled<td>settled; at most 10,000
 *   <tr><td>dispatches<td>when groups were dispatched<td>trained, given up, or 256 windows old
 *   <tr><td>producers<td>a line per producer<td>silent for 15 minutes of event time; at most 4,096 and one
 *       for all others
 *   <tr><td>windows<td>figures of a window by task and stage<td>256 windows old
 *   <tr><td>versions<td>ratio statistics of a policy version<td>1,000 versions old
 *   <tr><td>dead-letters-by-reason<td>a line per reason<td>–
 *   <tr><td>dead-letter-sources<td>coordinates that were counted<td>10,000 higher ones have come
 * </table>
 *
 * Internal topics are Kafka Streams' own: changelogs are compacted, {@code facts} is deleted as it
 * is read. {@code metrics} is never trimmed here.
 */
@NullMarked
package org.p3ostream.streams.topology;

import org.jspecify.annotations.NullMarked;
