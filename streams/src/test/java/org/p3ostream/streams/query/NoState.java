package org.p3ostream.streams.query;

import java.time.Clock;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** Queries of a topology that does not run. */
public final class NoState implements StateReader {
  private NoState() {}

  public static RunQueries queries() {
    return new RunQueries(new NoState(), Clock.systemUTC());
  }

  @Override
  public <K, V> ReadOnlyKeyValueStore<K, V> store(String name) {
    throw new NotReadyException("the topology is not started");
  }
}
