package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.metric.Metric;

/**
 * Sets the ledger against the records it consumed: lag and reward per window.
 *
 * <pre>
 *   lag    = |{visible rollout records the event's progress does not cover}|      [records]
 *   reward = Σ rewards / Σ responses over the records at the window's coordinates
 * </pre>
 *
 * Records are counted by their coordinates, so offsets used up by transaction markers or aborted
 * records (which a read_committed reader never sees) are no lag. The ledger names the records of a
 * window by coordinate too: a second copy of a group, or an attempt that was rejected, lies
 * elsewhere and is never part of a reward, so each (groupId, attempt) counts once.
 *
 * <p>An event may overtake the records it consumed. It is therefore kept, and later events behind
 * it, until every record it trained or skipped was passed. Records that were trimmed from the topic
 * never come: when nothing at all came between two ticks of {@link #IDLE_TICK}, what waits is
 * settled with what is there, and a window that lacks a record gets no reward rather than a wrong
 * one.
 */
final class WindowAccounting extends ContextualProcessor<String, Fact, String, MetricPoint> {
  static final String OUTSTANDING = "rollouts-outstanding";
  static final String PASSED = "rollouts-passed";
  static final String WAITING = "ledger-waiting";
  static final Duration IDLE_TICK = Duration.ofSeconds(5);

  private boolean idle;

  /** In memory, rebuilt from their changelogs: they hold only what is not consumed yet. */
  static Set<StoreBuilder<?>> stores() {
    return new LinkedHashSet<>(
        List.of(
            store(OUTSTANDING, new CoordinateSerde(), new JsonSerde<>(RolloutFact.class)),
            store(PASSED, Serdes.Integer(), Serdes.Long()),
            store(WAITING, Serdes.Long(), new JsonSerde<>(LedgerFact.class))));
  }

  @Override
  public void init(ProcessorContext<String, MetricPoint> context) {
    super.init(context);
    context.schedule(IDLE_TICK, PunctuationType.WALL_CLOCK_TIME, now -> tick());
  }

  @Override
  public void process(Record<String, Fact> record) {
    idle = false;
    Fact fact = record.value();
    if (fact instanceof RolloutFact rollout) {
      outstanding().put(rollout.at(), rollout);
      passed().put(rollout.at().partition(), rollout.at().recordOffset());
    } else if (fact instanceof LedgerFact event) {
      waiting().put(event.ledgerOffset(), event);
    }
    settle(false);
  }

  private void tick() {
    if (idle) {
      settle(true);
    }
    idle = true;
  }

  /** Settles waiting events in the order of the ledger, up to the first that must wait on. */
  private void settle(boolean evenIfIncomplete) {
    for (KeyValue<Long, LedgerFact> event : entries(waiting())) {
      if (!evenIfIncomplete && !everythingPassed(event.value)) {
        return;
      }
      account(event.value);
      waiting().delete(event.key);
    }
  }

  private boolean everythingPassed(LedgerFact event) {
    return Stream.concat(event.trained().stream(), event.skipped().stream())
        .allMatch(
            at -> {
              Long newest = passed().get(at.partition());
              return newest != null && newest >= at.recordOffset();
            });
  }

  private void account(LedgerFact event) {
    emitReward(event);
    for (KeyValue<Coordinate, RolloutFact> record : entries(outstanding())) {
      if (event.consumed(record.key)) {
        outstanding().delete(record.key);
      }
    }
    if (event.kind() != StepKind.GENESIS) {
      emit(Metric.LAG_RECORDS, event, entries(outstanding()).size());
    }
  }

  private void emitReward(LedgerFact event) {
    List<RolloutFact> window =
        event.trained().stream().map(outstanding()::get).filter(Objects::nonNull).toList();
    long responses = window.stream().mapToLong(RolloutFact::responses).sum();
    if (window.size() == event.trained().size() && responses > 0) {
      double rewardSum = window.stream().mapToDouble(RolloutFact::rewardSum).sum();
      emit(Metric.REWARD_MEAN, event, rewardSum / responses);
    }
  }

  private void emit(Metric metric, LedgerFact event, double value) {
    MetricPoint point = metric.point(event.runId(), event.step(), value, event.eventTime());
    context().forward(new Record<>(point.getName(), point, event.eventTime()));
  }

  private KeyValueStore<Coordinate, RolloutFact> outstanding() {
    return context().getStateStore(OUTSTANDING);
  }

  /** Partition to the newest offset seen in it. */
  private KeyValueStore<Integer, Long> passed() {
    return context().getStateStore(PASSED);
  }

  /** Ledger offset to event, ascending. */
  private KeyValueStore<Long, LedgerFact> waiting() {
    return context().getStateStore(WAITING);
  }

  private static <K, V> List<KeyValue<K, V>> entries(KeyValueStore<K, V> store) {
    List<KeyValue<K, V>> entries = new ArrayList<>();
    try (KeyValueIterator<K, V> all = store.all()) {
      all.forEachRemaining(entries::add);
    }
    return entries;
  }

  private static <K, V> StoreBuilder<KeyValueStore<K, V>> store(
      String name, Serde<K> keys, Serde<V> values) {
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), keys, values);
  }
}
