package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.p3ostream.rolloutproducer.backlog.FinishedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes finished groups and the offsets of their prompts, both or neither. */
final class RolloutPublisher {
  private static final Logger log = LoggerFactory.getLogger(RolloutPublisher.class);

  /** What became of a batch. */
  sealed interface Outcome {
    record Committed() implements Outcome {}

    /**
     * Nothing of it is visible; the same bytes may be sent again.
     *
     * @param tooLarge groups that will never be taken as they are
     */
    record Aborted(List<EncodedGroup> tooLarge) implements Outcome {
      public Aborted {
        tooLarge = List.copyOf(tooLarge);
      }
    }
  }

  private final Producer<byte[], byte[]> producer;
  private final String transactionalId;
  private final Outage broker;
  private final Outage publishing;
  private final Clock clock;

  /**
   * Creates a publisher.
   *
   * @param broker calls that time out
   * @param publishing transactions that abort: a broker that answers may refuse every one of them,
   *     and the abort in between succeeds, so that only a commit ends it
   */
  RolloutPublisher(
      Producer<byte[], byte[]> producer,
      String transactionalId,
      Outage broker,
      Outage publishing,
      Clock clock) {
    this.producer = producer;
    this.transactionalId = transactionalId;
    this.broker = broker;
    this.publishing = publishing;
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
   * @throws UnavailableException if the broker stays away, or has refused what it was sent for as
   *     long
   */
  Outcome publish(FinishedBatch<EncodedGroup> batch, ConsumerGroupMetadata members) {
    List<EncodedGroup> tooLarge = new CopyOnWriteArrayList<>(); // filled by the producer's thread
    try {
      producer.beginTransaction();
      for (EncodedGroup group : batch.results()) {
        Future<?> unused = // the commit fails if a send does
            producer.send(
                group.record(),
                (metadata, failure) -> {
                  if (failure instanceof RecordTooLargeException) {
                    tooLarge.add(group);
                  }
                });
      }
      producer.sendOffsetsToTransaction(batch.nextOffsets(), members);
      broker.retry(producer::commitTransaction, clock);
      publishing.recovered();
      return new Outcome.Committed();
    } catch (ProducerFencedException | FencedInstanceIdException e) {
      throw fenced(e);
    } catch (KafkaException e) {
      KafkaException reason = reason(e);
      log.warn(
          "Transaction aborted, {} groups go again: {}", batch.results().size(), reason.toString());
      abort();
      if (!(reason instanceof CommitFailedException)) { // else partitions have changed hands
        publishing.failed(reason, clock.millis());
      }
      return new Outcome.Aborted(tooLarge);
    }
  }

  /** What made a send fail, when a later call says no more than that one did. */
  private static KafkaException reason(KafkaException e) {
    return e.getCause() instanceof KafkaException cause ? cause : e;
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
