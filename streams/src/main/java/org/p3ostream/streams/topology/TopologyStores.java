package org.p3ostream.streams.topology;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.p3ostream.streams.state.DeadLetterFigures;
import org.p3ostream.streams.state.PartitionFigures;
import org.p3ostream.streams.state.ProducerFigures;
import org.p3ostream.streams.state.StoreNames;
import org.p3ostream.streams.state.VersionFigures;
import org.p3ostream.streams.state.WindowFigures;

/** The stores: in memory, rebuilt from their changelogs. What bounds each stands in the package. */
final class TopologyStores {
  /** {@link Coordinate} to {@link RolloutFact}. */
  static final String OUTSTANDING = "rollouts-outstanding";

  /** Offset in the ledger (Long) to {@link LedgerFact}. */
  static final String WAITING = "ledger-waiting";

  /** Group id (Long) to {@link DispatchTimes}. */
  static final String DISPATCHES = "dispatches";

  /** {@link DeadLetterSource} to the reason (String). */
  static final String DEAD_LETTER_SOURCES = "dead-letter-sources";

  private TopologyStores() {}

  static Set<StoreBuilder<?>> ofAccounting() {
    return new LinkedHashSet<>(
        List.of(
            store(OUTSTANDING, new CoordinateSerde(), new JsonSerde<>(RolloutFact.class)),
            store(StoreNames.PARTITIONS, Serdes.Integer(), new JsonSerde<>(PartitionFigures.class)),
            store(WAITING, Serdes.Long(), new JsonSerde<>(LedgerFact.class)),
            store(DISPATCHES, Serdes.Long(), new JsonSerde<>(DispatchTimes.class)),
            store(StoreNames.PRODUCERS, Serdes.String(), new JsonSerde<>(ProducerFigures.class)),
            store(StoreNames.WINDOWS, Serdes.Long(), new JsonSerde<>(WindowFigures.class)),
            store(StoreNames.VERSIONS, Serdes.Long(), new JsonSerde<>(VersionFigures.class))));
  }

  static Set<StoreBuilder<?>> ofDeadLetters() {
    return new LinkedHashSet<>(
        List.of(
            store(DEAD_LETTER_SOURCES, new DeadLetterSourceSerde(), Serdes.String()),
            store(
                StoreNames.DEAD_LETTERS,
                Serdes.String(),
                new JsonSerde<>(DeadLetterFigures.class))));
  }

  private static <K, V> StoreBuilder<KeyValueStore<K, V>> store(
      String name, Serde<K> keys, Serde<V> values) {
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), keys, values);
  }
}
