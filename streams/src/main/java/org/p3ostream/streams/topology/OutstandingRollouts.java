package org.p3ostream.streams.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.state.PartitionFigures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of {@code rollouts} that were seen and not consumed, and how far each partition was seen.
 *
 * <pre>
 *   lag(e) = |{r : sent(r) &lt; sent(e), r consumed by no event up to e}|                     [records]
 *   sent(r) = newest time that r or a record before it in its partition was sent at
 * </pre>
 *
 * So defined, lag is a function of the log: it does not matter in which order partitions were read,
 * once every partition was seen up to sent(e). Records are counted by their coordinates, so offsets
 * used up by transaction markers or aborted records (which a read_committed reader never sees) are
 * no lag. No operation is longer than what it adds or removes; nothing copies the store.
 *
 * <p>Held are so many records as the bound says, the oldest. What comes beyond, as when producers
 * publish unasked and nobody trains, is only counted, by offset and when it is seen: lag is then
 * that of a Kafka consumer, and the figures of a window that lacks a record are left out. Holding
 * begins again when half of the bound is consumed; what is held behind a gap is given up when the
 * bound is reached once more, so there is one gap in a partition at most.
 */
final class OutstandingRollouts {
  /** Records held, some 500 bytes each. Dispatch lets a learner leave far fewer. */
  static final int MAX_HELD = 100_000;

  private static final int OFFSETS_PER_LOOK = 64;
  private static final Logger log = LoggerFactory.getLogger(OutstandingRollouts.class);

  /**
   * What an event left behind.
   *
   * @param records see above
   * @param oldestAt event time of the first of them in its partition, the oldest over partitions;
   *     null if there are none, or if some partition's first is not held
   */
  record Lag(long records, @Nullable Long oldestAt) {

    /** Age of the oldest at {@code time}; 0 if there are none, null if it is not known. */
    @Nullable Double seconds(long time) {
      if (oldestAt == null) {
        return records == 0 ? (Double) 0.0 : null;
      }
      return Math.max(0, time - oldestAt) / 1000.0;
    }
  }

  private final KeyValueStore<Coordinate, RolloutFact> records;
  private final KeyValueStore<Integer, PartitionFigures> store;
  private final int maxHeld;
  private final SortedMap<Integer, PartitionFigures> partitions = new TreeMap<>();
  private long held;

  /**
   * @param maxHeld records held at most
   */
  OutstandingRollouts(
      KeyValueStore<Coordinate, RolloutFact> records,
      KeyValueStore<Integer, PartitionFigures> store,
      int maxHeld) {
    this.records = records;
    this.store = store;
    this.maxHeld = maxHeld;
    try (KeyValueIterator<Integer, PartitionFigures> all = store.all()) {
      all.forEachRemaining(
          entry -> {
            partitions.put(entry.key, entry.value);
            held += entry.value.outstanding();
          });
    }
  }

  void arrived(RolloutFact rollout) {
    int partition = rollout.at().partition();
    PartitionFigures before = partitions.getOrDefault(partition, PartitionFigures.NONE);
    if (held >= maxHeld || (countsOnly(before) && held > maxHeld / 2)) {
      countOnly(before, rollout);
      return;
    }
    PartitionFigures figures =
        before
            .holdingAgain()
            .seen(rollout.at().recordOffset(), rollout.sentAt(), rollout.eventTime());
    records.put(rollout.at(), rollout.withSentAt(figures.sentAt()));
    keep(partition, figures);
  }

  private static boolean countsOnly(PartitionFigures figures) {
    return figures.counted() != null && figures.counted().growing();
  }

  private void countOnly(PartitionFigures before, RolloutFact rollout) {
    Coordinate at = rollout.at();
    PartitionFigures figures = before;
    if (!countsOnly(before)) {
      log.warn(
          "{} rollouts are waiting to be trained: from partition {} offset {} on they are counted and not held, and windows of them get no figures",
          held,
          at.partition(),
          at.recordOffset());
      figures = withoutWhatLiesBehindTheGap(at.partition(), before);
    }
    keep(at.partition(), figures.seenUnheld(at.recordOffset(), rollout.sentAt()));
  }

  private PartitionFigures withoutWhatLiesBehindTheGap(int partition, PartitionFigures before) {
    PartitionFigures figures = before;
    if (before.counted() != null) {
      List<Coordinate> behind = new ArrayList<>();
      addThere(behind, partition, before.counted().to(), before.newestOffset());
      for (Coordinate at : behind) {
        records.delete(at);
        figures = figures.released(at.recordOffset());
      }
    }
    return figures;
  }

  /** Whether every partition was seen up to the offset that is needed of it. */
  boolean seen(Map<Integer, Long> neededOffsets) {
    for (Map.Entry<Integer, Long> needed : neededOffsets.entrySet()) {
      PartitionFigures figures = partitions.get(needed.getKey());
      if (figures == null || figures.newestOffset() < needed.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** Whether a partition was seen up to {@code time}. */
  boolean seenUpTo(int partition, long time) {
    PartitionFigures figures = partitions.get(partition);
    return figures != null && figures.sentAt() >= time;
  }

  /** The record at {@code at}; null if it was never seen or is consumed. */
  @Nullable RolloutFact at(Coordinate at) {
    return records.get(at);
  }

  /** Why there is no record at {@code at}, in words that follow it. */
  String absence(Coordinate at) {
    PartitionFigures figures = partitions.getOrDefault(at.partition(), PartitionFigures.NONE);
    return figures.newestOffset() < at.recordOffset()
        ? "was not seen: nothing came for long, and of its partition nothing beyond offset "
            + figures.newestOffset()
        : "is not held, although its partition was seen up to offset " + figures.newestOffset();
  }

  /** Takes away what {@code event} consumed and says what it left. */
  Lag settle(LedgerFact event) {
    for (Map.Entry<Integer, PartitionFigures> entry : List.copyOf(partitions.entrySet())) {
      keep(entry.getKey(), cut(entry.getKey(), entry.getValue(), event.sentAt()));
    }
    for (LedgerFact.Consumption consumption : event.consumption()) {
      consume(consumption);
    }
    long left = 0;
    Long oldest = null;
    boolean unknown = false;
    for (PartitionFigures figures : partitions.values()) {
      left += figures.visible() + figures.unheld();
      unknown |= figures.oldestUnknown();
      Long at = figures.oldestAt();
      if (figures.visible() > 0 && at != null) {
        oldest = oldest == null ? at : Long.valueOf(Math.min(oldest, at));
      }
    }
    return new Lag(left, unknown ? null : oldest);
  }

  /** Moves the cut of a partition to the first record that was not sent before {@code time}. */
  private PartitionFigures cut(int partition, PartitionFigures figures, long time) {
    long more = 0;
    long from = figures.cutOffset();
    while (from <= figures.newestOffset()) {
      long to = Math.min(from + OFFSETS_PER_LOOK - 1, figures.newestOffset());
      try (KeyValueIterator<Coordinate, RolloutFact> some = range(partition, from, to)) {
        while (some.hasNext()) {
          RolloutFact record = some.next().value;
          if (record.sentAt() >= time) {
            return figures.cut(record.at().recordOffset(), more);
          }
          more++;
        }
      }
      from = to + 1;
    }
    return figures.cut(from, more);
  }

  private void consume(LedgerFact.Consumption consumption) {
    PartitionFigures figures = partitions.get(consumption.partition());
    if (figures == null) {
      return;
    }
    List<Coordinate> consumed = new ArrayList<>();
    addThere(consumed, consumption.partition(), 0, consumption.nextOffset() - 1);
    for (LedgerFact.Range range : consumption.ranges()) {
      addThere(consumed, consumption.partition(), range.fromOffset(), range.toOffset());
    }
    for (long offset : consumption.consumedAhead()) {
      addThere(consumed, consumption.partition(), offset, offset);
    }
    for (Coordinate at : consumed) {
      records.delete(at);
      figures = figures.released(at.recordOffset());
    }
    figures = figures.consumedBelow(consumption.nextOffset());
    if (!figures.equals(partitions.get(consumption.partition()))) {
      keep(
          consumption.partition(),
          figures.withOldestAt(
              oldestFrom(consumption.nextOffset(), consumption.partition(), figures)));
    }
  }

  private void addThere(List<Coordinate> found, int partition, long from, long to) {
    if (from <= to) {
      try (KeyValueIterator<Coordinate, RolloutFact> there = range(partition, from, to)) {
        there.forEachRemaining(record -> found.add(record.key));
      }
    }
  }

  private @Nullable Long oldestFrom(long nextOffset, int partition, PartitionFigures figures) {
    if (figures.outstanding() == 0) {
      return null;
    }
    long last = figures.counted() == null ? figures.newestOffset() : figures.counted().from() - 1;
    for (long from = nextOffset; from <= last; from += OFFSETS_PER_LOOK) {
      try (KeyValueIterator<Coordinate, RolloutFact> some =
          range(partition, from, Math.min(last, from + OFFSETS_PER_LOOK - 1))) {
        if (some.hasNext()) {
          KeyValue<Coordinate, RolloutFact> first = some.next();
          return first.value.eventTime();
        }
      }
    }
    return null;
  }

  /** Both inclusive. */
  private KeyValueIterator<Coordinate, RolloutFact> range(int partition, long from, long to) {
    return records.range(new Coordinate(partition, from), new Coordinate(partition, to));
  }

  private void keep(int partition, PartitionFigures figures) {
    PartitionFigures before = partitions.put(partition, figures);
    if (!figures.equals(before)) {
      held += figures.outstanding() - (before == null ? 0 : before.outstanding());
      store.put(partition, figures);
    }
  }
}
