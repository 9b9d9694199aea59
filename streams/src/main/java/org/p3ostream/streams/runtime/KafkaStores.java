package org.p3ostream.streams.runtime;

import java.util.function.Supplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.query.NotReadyException;
import org.p3ostream.streams.query.StateReader;

/** The stores of the topology that runs now. */
final class KafkaStores implements StateReader {
  private final Supplier<@Nullable KafkaStreams> running;

  /**
   * @param running gives null before the topology was started
   */
  KafkaStores(Supplier<@Nullable KafkaStreams> running) {
    this.running = running;
  }

  @Override
  public <K, V> ReadOnlyKeyValueStore<K, V> store(String name) {
    KafkaStreams streams = running.get();
    if (streams == null) {
      throw new NotReadyException("the topology is not started");
    }
    try {
      return streams.store(
          StoreQueryParameters.fromNameAndType(name, QueryableStoreTypes.<K, V>keyValueStore()));
    } catch (InvalidStateStoreException | IllegalStateException e) { // the latter once it stops
      throw new NotReadyException("the topology is " + streams.state() + ", try again", e);
    }
  }

  /** About how many entries the store has; NaN while it cannot be read in this process. */
  double entries(String name) {
    try {
      return (double) store(name).approximateNumEntries(); // where it lies is looked up here
    } catch (NotReadyException | InvalidStateStoreException e) {
      return Double.NaN;
    }
  }
}
