package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.fixture.Records;

/** The accounting alone, so that facts can be of any partition. */
final class AccountingUnderTest implements AutoCloseable {
  private final MockProcessorContext<String, MetricPoint> context = new MockProcessorContext<>();
  private final Map<String, KeyValueStore<Object, Object>> stores = new TreeMap<>();
  private final int partitions;
  private WindowAccounting accounting;
  private long now = Records.NOW;
  private long answers;

  @SuppressWarnings("unchecked") // reading any store
  AccountingUnderTest(int partitions) {
    this.partitions = partitions;
    context.setCurrentSystemTimeMs(now);
    for (StoreBuilder<?> builder : TopologyStores.ofAccounting()) {
      StateStore store = builder.withLoggingDisabled().build();
      store.init(context.getStateStoreContext(), store);
      stores.put(store.name(), (KeyValueStore<Object, Object>) store);
    }
    restart();
  }

  /** Another instance over the same stores, as after a crash. */
  void restart() {
    accounting = new WindowAccounting(Records.RUN, partitions, () -> answers);
    accounting.init(context);
  }

  void take(Fact fact) {
    accounting.process(new Record<>("key", fact, 0));
  }

  /** Nothing comes for so long, while a broker answers. */
  void quiet(Duration duration) {
    for (Duration left = duration;
        left.compareTo(Duration.ZERO) > 0;
        left = left.minus(WindowAccounting.TICK)) {
      answers++;
      tick(WindowAccounting.TICK);
    }
  }

  /** No broker answers for so long. */
  void away(Duration duration) {
    for (Duration left = duration;
        left.compareTo(Duration.ZERO) > 0;
        left = left.minus(WindowAccounting.TICK)) {
      tick(WindowAccounting.TICK);
    }
  }

  /** The process stands still for so long. */
  void stopped(Duration duration) {
    answers++;
    tick(duration);
  }

  private void tick(Duration later) {
    now += later.toMillis();
    context.setCurrentSystemTimeMs(now);
    var ticks = context.scheduledPunctuators();
    ticks.get(ticks.size() - 1).getPunctuator().punctuate(now);
  }

  /** Everything written so far. */
  List<MetricPoint> points() {
    return context.forwarded().stream()
        .<MetricPoint>map(forwarded -> forwarded.record().value())
        .toList();
  }

  /** Everything that is held, by store and key. */
  Map<String, Map<String, Object>> state() {
    Map<String, Map<String, Object>> state = new TreeMap<>();
    stores.forEach((name, store) -> state.put(name, entries(store)));
    return state;
  }

  int held(String store) {
    return entries(stores.get(store)).size();
  }

  private static Map<String, Object> entries(KeyValueStore<Object, Object> store) {
    Map<String, Object> entries = new TreeMap<>();
    try (KeyValueIterator<Object, Object> all = store.all()) {
      all.forEachRemaining(entry -> entries.put(entry.key.toString(), entry.value));
    }
    return entries;
  }

  @Override
  public void close() {
    stores.values().forEach(StateStore::close);
  }
}
