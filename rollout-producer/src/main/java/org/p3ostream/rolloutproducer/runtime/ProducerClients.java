package org.p3ostream.rolloutproducer.runtime;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.p3ostream.schemas.serde.RecordCodec;

/**
 * The clients a rollout producer works with, built and closed by the caller.
 *
 * @param admin asks which topics exist
 * @param producer transactional, with {@code ProducerSettings.transactionalId()}
 * @param prompts read_committed, no auto-commit, member of {@code ProducerSettings.groupId()}
 * @param snapshots read_committed, without a group
 * @param codec of values
 */
public record ProducerClients(
    Admin admin,
    Producer<byte[], byte[]> producer,
    Consumer<byte[], byte[]> prompts,
    Consumer<byte[], byte[]> snapshots,
    RecordCodec codec) {}
