package org.p3ostream.streams.query;

import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** Where {@link RunQueries} finds the state stores. */
public interface StateReader {
  /**
   * The store called {@code name}.
   *
   * @throws NotReadyException while it cannot be read
   */
  <K, V> ReadOnlyKeyValueStore<K, V> store(String name);
}
