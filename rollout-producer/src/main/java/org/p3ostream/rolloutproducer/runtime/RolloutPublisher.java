package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.p3ostream.rolloutproducer.backlog.FinishedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes finished groups and the offsets of their prompts, both or neither. */
final class RolloutPublisher {
  private static final Logger log = LoggerFactory.getLogger(RolloutPublisher.class);

  /** What became of a batch. */
  enum Outcome {
    COMMITTED,
    /** Nothing of it is visible; the same bytes may be sent again. */
    ABORTED
  }

  private final Producer<byte[], byte[]> producer;
  private final String transactionalId;
  private final Outage broker;
  private final Clock clock;

  RolloutPublisher(
      Producer<byte[], byte[]> producer, String transactionalId, Outage broker, Clock clock) {
    this.producer = producer;
    this.transactionalId = transactionalId;
    this.broker = broker;
    this.clock = clock;
  }

  /** Fences an older process with the same transactional id and ends what it left open. */
  void start() {
    broker.retry(producer::initTransactions, clock);
  }

  /**
   * Publishes in one transaction, which is open for no longer than sending takes.
   *
   * @throws FencedException if another process has taken over the transactional id
   * @throws UnavailableException if the broker stays away
   */
  Outcome publish(FinishedBatch<EncodedGroup> batch, ConsumerGroupMetadata members) {
    try {
      producer.beginTransaction();
      for (EncodedGroup group : batch.results()) {
        Future<?> unused = producer.send(group.record()); // the commit fails if a send does
      }
      producer.sendOffsetsToTransaction(batch.nextOffsets(), members);
      broker.retry(producer::commitTransaction, clock);
      return Outcome.COMMITTED;
    } catch (ProducerFencedException | FencedInstanceIdException e) {
      throw fenced(e);
    } catch (KafkaException e) {
      log.warn("Transaction aborted, {} groups go again: {}", batch.results().size(), e.toString());
      abort();
      broker.failed(e, clock.millis());
      return Outcome.ABORTED;
    }
  }

  private void abort() {
    try {
      broker.retry(producer::abortTransaction, clock);
    } catch (ProducerFencedException e) {
      throw fenced(e);
    }
  }

  private FencedException fenced(KafkaException cause) {
    return new FencedException(
        "transactional id '"
            + transactionalId
            + "' is refused: another process took it over (give every producer its own producer.id), or"
            + " the broker ended a transaction that was open for longer than transaction.timeout.ms",
        cause);
  }
}
