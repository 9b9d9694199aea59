package org.p3ostream.streams.topology;

import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** An empty store in memory, without a topology. */
final class StoreUnderTest {
  private StoreUnderTest() {}

  static <K, V> KeyValueStore<K, V> of(String name, Serde<K> keys, Serde<V> values) {
    MockProcessorContext<String, String> context = new MockProcessorContext<>();
    KeyValueStore<K, V> store =
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), keys, values)
            .withLoggingDisabled()
            .build();
    store.init(context.getStateStoreContext(), store);
    return store;
  }
}
