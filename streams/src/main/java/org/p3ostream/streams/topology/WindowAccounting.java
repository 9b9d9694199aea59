package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.ProducerFigures;
import org.p3ostream.streams.state.StoreNames;

/**
 * Sets the ledger against the records it consumed. Events are settled in the order of the ledger,
 * each once it is known what belongs to it:
 *
 * <ul>
 *   <li><b>complete</b>: every record that it trained or skipped was seen, for an event may
 *       overtake them. Records that were trimmed from the topic never come: after {@link
 *       #MISSING_AFTER} of {@link ListeningTime} in which nothing came at all, the event is settled
 *       with what is there, and a window that lacks a record gets no reward rather than a wrong
 *       one.
 *   <li><b>in time</b>: every partition was seen up to the time at which the event was sent, so
 *       that its lag does not depend on how far each partition happened to be read. Partitions in
 *       which nothing more comes are not waited for longer than {@link #QUIET}.
 * </ul>
 *
 * The ledger names the records of a window by coordinate: a second copy of a group, or an attempt
 * that was rejected, lies elsewhere and is never part of a figure, so each (groupId, attempt)
 * counts once.
 */
final class WindowAccounting extends ContextualProcessor<String, Fact, String, MetricPoint> {
  static final Duration TICK = Duration.ofSeconds(1);

  /** Nothing came for so long: what was sent by now is here. */
  static final Duration QUIET = Duration.ofSeconds(3);

  /** Nothing came for so long: what is missing does not come any more. */
  static final Duration MISSING_AFTER = Duration.ofSeconds(15);

  /** A partition from which nothing came for so long has nothing more for now. */
  static final Duration SILENT = Duration.ofSeconds(15);

  /** Events that may wait. */
  static final int MAX_WAITING = 10_000;

  private final String runId;
  private final int rolloutPartitions;
  private @Nullable Books books;
  private final LongSupplier answers;
  private final Map<Integer, Long> heardFrom = new HashMap<>(); // listening time, by partition
  private final LackingWindows lacking = new LackingWindows();
  private boolean heard;
  private long heardAt; // listening time
  private @Nullable ListeningTime listening;

  private record Books(
      OutstandingRollouts outstanding,
      WaitingEvents waiting,
      ProducerBook producers,
      WindowBook windows,
      VersionBook versions) {}

  /**
   * @param rolloutPartitions partitions of {@code rollouts}
   * @param answers of brokers to the topology's reader so far
   */
  WindowAccounting(String runId, int rolloutPartitions, LongSupplier answers) {
    this.runId = runId;
    this.rolloutPartitions = rolloutPartitions;
    this.answers = answers;
  }

  @Override
  public void init(ProcessorContext<String, MetricPoint> context) {
    super.init(context);
    books =
        new Books(
            new OutstandingRollouts(
                context.getStateStore(TopologyStores.OUTSTANDING),
                context.getStateStore(StoreNames.PARTITIONS),
                OutstandingRollouts.MAX_HELD),
            new WaitingEvents(context.getStateStore(TopologyStores.WAITING)),
            new ProducerBook(context.getStateStore(StoreNames.PRODUCERS)),
            new WindowBook(
                context.getStateStore(StoreNames.WINDOWS),
                context.getStateStore(TopologyStores.DISPATCHES)),
            new VersionBook(context.getStateStore(StoreNames.VERSIONS)));
    ListeningTime fromNow = new ListeningTime(answers, TICK, context.currentSystemTimeMs());
    listening = fromNow;
    heardAt = 0;
    for (int partition = 0; partition < rolloutPartitions; partition++) {
      heardFrom.put(partition, heardAt);
    }
    context.schedule(
        TICK,
        PunctuationType.WALL_CLOCK_TIME,
        now -> {
          fromNow.tick(now);
          settle(books(), fromNow.total() - heardAt);
        });
  }

  @Override
  public void process(Record<String, Fact> record) {
    Books all = books();
    heardAt = listening().at(context().currentSystemTimeMs());
    heard = true;
    Fact fact = record.value();
    if (fact instanceof RolloutFact rollout) {
      heardFrom.put(rollout.at().partition(), heardAt);
      all.outstanding.arrived(rollout);
      all.producers.published(rollout);
    } else if (fact instanceof LedgerFact event) {
      all.waiting.add(event);
    }
    settle(all, 0);
  }

  /** Settles waiting events in the order of the ledger, up to the first that must wait on. */
  private void settle(Books all, long quietMs) {
    LedgerFact event = all.waiting.first();
    while (event != null && complete(all, quietMs) && inTime(all, event, quietMs)) {
      account(all, event);
      all.waiting.remove();
      event = all.waiting.first();
    }
  }

  private static boolean complete(Books all, long quietMs) {
    return quietMs >= MISSING_AFTER.toMillis()
        || all.waiting.size() > MAX_WAITING
        || all.outstanding.seen(all.waiting.neededOffsets());
  }

  private boolean inTime(Books all, LedgerFact event, long quietMs) {
    // An instance that heard nothing yet may still have to begin to read.
    return quietMs >= (heard ? QUIET : MISSING_AFTER).toMillis()
        || event.kind() == StepKind.GENESIS
        || all.waiting.size() > MAX_WAITING
        || all.waiting.firstLiesElsewhere()
        || everyPartitionSeenUpTo(all, event.sentAt());
  }

  private boolean everyPartitionSeenUpTo(Books all, long time) {
    long listened = listening().total();
    for (Map.Entry<Integer, Long> partition : heardFrom.entrySet()) {
      boolean silent = listened - partition.getValue() >= SILENT.toMillis();
      if (!silent && !all.outstanding.seenUpTo(partition.getKey(), time)) {
        return false;
      }
    }
    return true;
  }

  private void account(Books all, LedgerFact event) {
    PointSink sink = (metric, value, labels) -> emit(event, metric, value, labels);
    List<@Nullable RolloutFact> records = new ArrayList<>();
    event.trained().forEach(group -> records.add(all.outstanding.at(group.at())));
    if (event.hasWindow() && !all.waiting.firstLiesElsewhere()) {
      lacking.settled(event, records, all.outstanding);
    }
    all.windows.dispatched(event);
    emitReward(records, sink);
    all.producers.trained(event, records);
    OutstandingRollouts.Lag lag = all.outstanding.settle(event);
    if (event.kind() != StepKind.GENESIS && !all.waiting.firstLiesElsewhere()) {
      emitLag(event, lag, sink);
    }
    all.versions.settled(event, sink);
    if (event.hasWindow()) {
      boolean due = reportIsDue(event, all.windows.before(event));
      all.windows.settled(event, records, lag, sink);
      if (due) {
        all.producers.report(event, sink);
      }
    }
  }

  /** Producers are reported on once in each ten-second interval of the ledger's event time. */
  private static boolean reportIsDue(LedgerFact event, @Nullable Long before) {
    return before == null
        || Math.floorDiv(before, ProducerFigures.BUCKET_MS)
            < Math.floorDiv(event.eventTime(), ProducerFigures.BUCKET_MS);
  }

  private static void emitReward(List<@Nullable RolloutFact> records, PointSink sink) {
    double rewardSum = 0;
    long responses = 0;
    for (RolloutFact record : records) {
      if (record == null) {
        return;
      }
      rewardSum += record.figures().rewardSum();
      responses += record.figures().responses();
    }
    if (responses > 0) {
      sink.emit(Metric.REWARD_MEAN, rewardSum / responses, Map.of());
    }
  }

  private static void emitLag(LedgerFact event, OutstandingRollouts.Lag lag, PointSink sink) {
    sink.emit(Metric.LAG_RECORDS, (double) lag.records(), Map.of());
    Double seconds = lag.seconds(event.eventTime());
    if (seconds != null) {
      sink.emit(Metric.LAG_SECONDS, seconds, Map.of());
    }
  }

  private void emit(LedgerFact event, Metric metric, double value, Map<String, String> labels) {
    MetricPoint point = metric.point(runId, event.step(), value, event.eventTime(), labels);
    context().forward(new Record<>(point.getName(), point, event.eventTime()));
  }

  private ListeningTime listening() {
    if (listening == null) {
      throw new IllegalStateException("not initialised");
    }
    return listening;
  }

  private Books books() {
    if (books == null) {
      throw new IllegalStateException("not initialised");
    }
    return books;
  }
}
