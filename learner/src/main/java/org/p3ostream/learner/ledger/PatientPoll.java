package org.p3ostream.learner.ledger;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls for records that are known to lie in a partition. A poll says nothing about a broker that
 * is gone, so after some silence the broker is asked: one that answers is waited for, one that does
 * not for two minutes ends the reading.
 */
public final class PatientPoll {
  private static final Logger LOG = LoggerFactory.getLogger(PatientPoll.class);

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PROBE = Duration.ofSeconds(5);

  /** Polls in a row without a record after which the broker is asked. */
  static final int PATIENCE_POLLS = 50;

  /** Times in a row that it is asked in vain. */
  static final int PROBES = 12;

  private static final long ROUND_SECONDS =
      POLL.multipliedBy(PATIENCE_POLLS).plus(PROBE).toSeconds();

  private final Consumer<byte[], byte[]> consumer;
  private final TopicPartition partition;
  private int silentPolls;
  private int unanswered;

  /**
   * @param consumer assigned to the partition
   */
  public PatientPoll(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    this.consumer = consumer;
    this.partition = partition;
  }

  /**
   * What arrives within a moment; may be nothing.
   *
   * @throws IllegalStateException if the broker has not answered for long
   */
  public ConsumerRecords<byte[], byte[]> next() {
    ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
    if (!records.isEmpty()) {
      silentPolls = 0;
      unanswered = 0;
    } else if (++silentPolls == PATIENCE_POLLS) {
      silentPolls = 0;
      probe();
    }
    return records;
  }

  private void probe() {
    try {
      consumer.endOffsets(List.of(partition), PROBE);
      unanswered = 0;
    } catch (TimeoutException e) {
      unanswered++;
      long seconds = unanswered * ROUND_SECONDS;
      if (unanswered == PROBES) {
        throw new IllegalStateException(
            "the broker has not answered for " + seconds + " s; a restart continues", e);
      }
      LOG.warn("the broker has not answered for {} s", seconds);
    }
  }
}
