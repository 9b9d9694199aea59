package org.p3ostream.learner.runtime;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.p3ostream.schemas.registry.SubjectProvisioner;
import org.p3ostream.schemas.serde.RecordCodec;

/**
 * The clients a learner works with, built and closed by the caller.
 *
 * @param admin creates topics
 * @param producer transactional, idempotent, acks = all
 * @param rollouts read_committed, no group subscription: the learner assigns and seeks; group.id
 *     set, since step transactions carry its offsets for lag tools
 * @param ledger read_committed, without a group
 * @param snapshots read_committed, without a group; used where what sampled a token is computed
 *     again, and after a restart for where earlier versions lie
 * @param codec of values
 * @param subjects of the registry that the codec talks to
 */
public record LearnerClients(
    Admin admin,
    Producer<byte[], byte[]> producer,
    Consumer<byte[], byte[]> rollouts,
    Consumer<byte[], byte[]> ledger,
    Consumer<byte[], byte[]> snapshots,
    RecordCodec codec,
    SubjectProvisioner subjects) {

  /** Those that read. */
  public LogReaders readers() {
    return new LogReaders(rollouts, ledger, snapshots, codec);
  }
}
