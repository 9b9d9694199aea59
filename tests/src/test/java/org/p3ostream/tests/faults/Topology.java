package org.p3ostream.tests.faults;

import java.nio.file.Path;

/** How many brokers a run has. */
enum Topology {
  SINGLE("1-node") {
    @Override
    Brokers start(Path directory) {
      return SingleBroker.start(directory);
    }
  },
  CLUSTER("3-node") {
    @Override
    Brokers start(Path directory) {
      return ClusteredBrokers.start(directory);
    }
  };

  private final String name;

  Topology(String name) {
    this.name = name;
  }

  /** Starts them and waits until they answer. */
  abstract Brokers start(Path directory);

  @Override
  public String toString() {
    return name;
  }
}
