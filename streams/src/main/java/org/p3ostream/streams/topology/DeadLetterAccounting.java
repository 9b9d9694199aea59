package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.DeadLetterFigures;
import org.p3ostream.streams.state.StoreNames;

/**
 * Counts dead letters by reason, each record they are about once: a second letter about the same
 * coordinate changes nothing, as long as the coordinate is one of the {@link #SOURCES_KEPT} with
 * the highest offsets. What changed is written at the next {@link #TICK}.
 */
final class DeadLetterAccounting extends ContextualProcessor<byte[], Decoded, String, MetricPoint> {
  static final Duration TICK = Duration.ofSeconds(1);

  /** Coordinates that are remembered. */
  static final int SOURCES_KEPT = 10_000;

  private final String runId;
  private final OwnRecords<DeadLetter> letters;
  private boolean begun;

  DeadLetterAccounting(String runId, PassedOver passedOver) {
    this.runId = runId;
    this.letters = new OwnRecords<>(runId, DeadLetter.class, DeadLetter::getRunId, passedOver);
  }

  @Override
  public void init(ProcessorContext<String, MetricPoint> context) {
    super.init(context);
    context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::publish);
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    DeadLetter letter = letters.read(context().recordMetadata().orElseThrow(), record.value());
    if (letter != null) {
      count(letter, EventTime.of(letter, record.timestamp()));
    }
  }

  private void count(DeadLetter letter, long rejectedAt) {
    DeadLetterSource source =
        new DeadLetterSource(
            letter.getSourceOffset(), letter.getSourcePartition(), letter.getSourceTopic());
    String reason = letter.getReason().name();
    if (sources().putIfAbsent(source, reason) != null) {
      return;
    }
    DeadLetterFigures before = reasons().get(reason);
    reasons().put(reason, (before == null ? DeadLetterFigures.NONE : before).plus(rejectedAt));
    if (sources().approximateNumEntries() > SOURCES_KEPT) {
      forgetLowest();
    }
  }

  /** A tenth at once, so that the store is not looked through for every letter. */
  private void forgetLowest() {
    List<DeadLetterSource> lowest = new ArrayList<>();
    try (KeyValueIterator<DeadLetterSource, String> all = sources().all()) {
      while (all.hasNext() && lowest.size() < SOURCES_KEPT / 10) {
        lowest.add(all.next().key);
      }
    }
    lowest.forEach(sources()::delete);
  }

  private void publish(long now) {
    for (RejectionReason code : RejectionReason.values()) {
      String reason = code.name();
      DeadLetterFigures figures = reasons().get(reason);
      long count = figures == null ? 0 : figures.count();
      if (!begun || (figures != null && count != figures.published())) {
        long eventTime = figures == null ? now : figures.lastAt();
        MetricPoint point =
            Metric.DEAD_LETTERS.point(
                runId,
                Metric.NO_STEP,
                (double) count,
                eventTime,
                Map.of(Metric.REASON_LABEL, reason));
        context().forward(new Record<>(point.getName(), point, eventTime));
      }
      if (figures != null && count != figures.published()) {
        reasons().put(reason, figures.written());
      }
    }
    begun = true;
  }

  private KeyValueStore<DeadLetterSource, String> sources() {
    return context().getStateStore(TopologyStores.DEAD_LETTER_SOURCES);
  }

  private KeyValueStore<String, DeadLetterFigures> reasons() {
    return context().getStateStore(StoreNames.DEAD_LETTERS);
  }
}
