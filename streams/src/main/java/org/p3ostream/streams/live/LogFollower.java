package org.p3ostream.streams.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.PatientCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows {@code steps} from its beginning and the tail of {@code metrics}. It reads with a
 * consumer of its own, read_committed and without a group, rather than through the state of the
 * topology: the ledger stays readable while Streams starts, rebalances or is down, and a step is
 * shown as soon as its transaction is committed.
 *
 * <p>One thread runs {@link #run()}; {@link #state()} and {@link #stop()} are safe from any.
 */
public final class LogFollower implements Runnable {
  /** Offsets of {@code metrics} re-read per partition at start: a hundred steps or more. */
  private static final long METRICS_TAIL = 2_000;

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PROBE = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(LogFollower.class);

  /**
   * How the follower is doing.
   *
   * @param atWork true once it has shown everything that was committed when it began, as long as
   *     the broker answers
   * @param detail the same for a person
   */
  public record State(boolean atWork, String detail) {}

  private final Consumer<byte[], byte[]> consumer;
  private final PatientCodec codec;
  private final TopicPartition ledger;
  private final String metricsTopic;
  private final StepLog steps;
  private final LatestMetrics latest;
  private volatile State state = new State(false, "not started");
  private volatile boolean stopped;
  private long catchUpTo = Long.MAX_VALUE;
  private long heardAtNanos = System.nanoTime();

  /**
   * @param consumer read_committed, without a group; closed by the caller after {@link #run()} ends
   * @param codec this thread's own
   */
  public LogFollower(
      Consumer<byte[], byte[]> consumer,
      PatientCodec codec,
      TopicCatalogue topics,
      StepLog steps,
      LatestMetrics latest) {
    this.consumer = consumer;
    this.codec = codec;
    this.ledger = new TopicPartition(topics.steps().name(), 0);
    this.metricsTopic = topics.metrics().name();
    this.steps = steps;
    this.latest = latest;
  }

  /** Follows until {@link #stop()}; returns then, and throws on anything that no retry mends. */
  @Override
  public void run() {
    try {
      begin();
      while (!stopped) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          heardAtNanos = System.nanoTime();
          take(record);
        }
        latest.show();
        state = observe();
      }
    } catch (WakeupException e) {
      log.debug("Woken up to stop", e);
    } finally {
      state = new State(false, "stopped");
    }
  }

  /** Ends {@link #run()} soon. */
  public void stop() {
    stopped = true;
    codec.stopWaiting();
    consumer.wakeup();
  }

  public State state() {
    return state;
  }

  private void begin() {
    state = new State(false, "reading the ledger");
    List<TopicPartition> metrics =
        consumer.partitionsFor(metricsTopic).stream()
            .map(partition -> new TopicPartition(metricsTopic, partition.partition()))
            .toList();
    List<TopicPartition> all = new ArrayList<>(metrics);
    all.add(ledger);
    consumer.assign(all);
    consumer.seekToEnd(all);
    catchUpTo = consumer.position(ledger);
    consumer.seekToBeginning(List.of(ledger));
    for (TopicPartition tail : metrics) {
      consumer.seek(tail, Math.max(0, consumer.position(tail) - METRICS_TAIL));
    }
    heardAtNanos = System.nanoTime();
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    Decoded decoded = codec.decode(record.topic(), record.value());
    if (decoded instanceof Decoded.Rejected rejected) {
      log.warn(
          "Cannot show {}-{}@{}: {}, {}",
          record.topic(),
          record.partition(),
          record.offset(),
          rejected.reason(),
          rejected.cause());
      return;
    }
    SpecificRecord value = ((Decoded.Accepted) decoded).record();
    if (value instanceof StepEvent event) {
      steps.add(event);
    } else if (value instanceof MetricPoint point) {
      latest.add(point);
    }
  }

  private State observe() {
    long nextOffset = consumer.position(ledger);
    if (nextOffset < catchUpTo) {
      return new State(false, "at offset " + nextOffset + " of " + catchUpTo + " of the ledger");
    }
    if (System.nanoTime() - heardAtNanos < PROBE.toNanos() || brokerAnswers()) {
      return new State(true, "at step " + steps.newestStep());
    }
    return new State(false, "the broker does not answer");
  }

  private boolean brokerAnswers() {
    try {
      consumer.endOffsets(List.of(ledger), PROBE);
      heardAtNanos = System.nanoTime();
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }
}
