package org.p3ostream.learner.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a prepared event as one transaction. A transaction is open only while it is being sent,
 * never during computation. An abort is followed by the same bytes again; a commit whose outcome
 * stays unknown ends the process.
 */
public final class StepCommitter {
  private static final Logger LOG = LoggerFactory.getLogger(StepCommitter.class);
  private static final int ATTEMPTS = 5;

  private final Producer<byte[], byte[]> producer;
  private final ConsumerGroupMetadata group;
  private final StageListener stages;

  /** Without a listener. */
  public StepCommitter(Producer<byte[], byte[]> producer, ConsumerGroupMetadata group) {
    this(producer, group, StageListener.NONE);
  }

  /**
   * @param producer transactional
   * @param group group that carries the offsets for lag tools
   * @param stages told of fence, begin, send, offsets and commit
   */
  public StepCommitter(
      Producer<byte[], byte[]> producer, ConsumerGroupMetadata group, StageListener stages) {
    this.producer = producer;
    this.group = group;
    this.stages = stages;
  }

  /**
   * Fences every older learner with the same transactional id and ends its open transaction. Must
   * come before the ledger is read.
   */
  public void initialize() {
    stages.before(Stage.FENCE);
    producer.initTransactions();
    stages.after(Stage.FENCE);
  }

  /**
   * Commits.
   *
   * @return how long it took and where everything lies
   * @throws FencedException if another learner took over
   * @throws UnknownOutcomeException if the broker did not say whether the commit happened
   */
  public CommittedEvent commit(PreparedEvent prepared) {
    long start = System.nanoTime();
    List<RecordMetadata> sent;
    for (int attempt = 1; ; attempt++) {
      try {
        sent = sendAll(prepared);
        break;
      } catch (KafkaException e) {
        requireNotFenced(e);
        abort(e);
        if (attempt == ATTEMPTS) {
          throw e;
        }
        LOG.warn(
            "transaction of step {} aborted, sending the same bytes again ({} of {}): {}",
            prepared.event().getStep(),
            attempt + 1,
            ATTEMPTS,
            e.toString());
      }
    }
    stages.before(Stage.COMMIT);
    commitTransaction(prepared);
    stages.after(Stage.COMMIT);
    return new CommittedEvent((System.nanoTime() - start) / 1e6, sent);
  }

  private List<RecordMetadata> sendAll(PreparedEvent prepared) {
    stages.before(Stage.BEGIN);
    producer.beginTransaction();
    stages.after(Stage.BEGIN);
    stages.before(Stage.SEND);
    List<Future<RecordMetadata>> sends = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> record : prepared.records()) {
      sends.add(producer.send(record));
    }
    producer.flush();
    List<RecordMetadata> sent = new ArrayList<>();
    for (Future<RecordMetadata> send : sends) {
      sent.add(await(send));
    }
    stages.after(Stage.SEND);
    stages.before(Stage.OFFSETS);
    producer.sendOffsetsToTransaction(prepared.offsets(), group);
    stages.after(Stage.OFFSETS);
    return sent;
  }

  private void commitTransaction(PreparedEvent prepared) {
    for (int attempt = 1; ; attempt++) {
      try {
        producer.commitTransaction();
        return;
      } catch (TimeoutException e) { // a commit may be asked for again until it is answered
        if (attempt == ATTEMPTS) {
          throw unknown(prepared, e);
        }
        LOG.warn("commit of step {} not answered, asking again", prepared.event().getStep());
      } catch (KafkaException e) {
        requireNotFenced(e);
        throw unknown(prepared, e);
      }
    }
  }

  private void abort(KafkaException cause) {
    try {
      producer.abortTransaction();
    } catch (KafkaException e) {
      requireNotFenced(e);
      e.addSuppressed(cause);
      throw e;
    }
  }

  private static RecordMetadata await(Future<RecordMetadata> send) {
    try {
      return send.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while sending a step", e);
    }
  }

  /**
   * A client that was fenced says so with one of three errors, or with a general one they caused:
   * the third comes when its commit reaches a coordinator that has aborted the transaction for the
   * learner that took over.
   */
  private static void requireNotFenced(KafkaException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ProducerFencedException
          || cause instanceof InvalidProducerEpochException
          || cause instanceof InvalidTxnStateException) {
        throw new FencedException(
            "another learner of this run took over; ending without writing", e);
      }
    }
  }

  private static UnknownOutcomeException unknown(PreparedEvent prepared, KafkaException e) {
    return new UnknownOutcomeException(
        "whether step %d was committed is not known; a restart reads it from the ledger"
            .formatted(prepared.event().getStep()),
        e);
  }
}
