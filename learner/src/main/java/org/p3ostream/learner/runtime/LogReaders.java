package org.p3ostream.learner.runtime;

import org.apache.kafka.clients.consumer.Consumer;
import org.p3ostream.schemas.serde.RecordCodec;

/**
 * What it takes to read the log of a run, or of several one after the other: whoever uses a
 * consumer assigns it anew. Built and closed by the caller.
 *
 * @param rollouts read_committed, no group subscription
 * @param ledger read_committed, without a group
 * @param snapshots read_committed, without a group
 * @param codec of values
 */
public record LogReaders(
    Consumer<byte[], byte[]> rollouts,
    Consumer<byte[], byte[]> ledger,
    Consumer<byte[], byte[]> snapshots,
    RecordCodec codec) {}
