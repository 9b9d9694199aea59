package org.p3ostream.tests.faults;

import java.nio.file.Path;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.KafkaBroker;

/** One broker, its data on a disk that can be full. */
record SingleBroker(KafkaBroker broker, SmallDisk disk) implements Brokers {

  static SingleBroker start(Path directory) {
    SmallDisk disk = SmallDisk.at(directory.resolve("data"));
    return new SingleBroker(KafkaBroker.start(directory), disk);
  }

  @Override
  public String name() {
    return Topology.SINGLE.toString();
  }

  @Override
  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  @Override
  public int replication() {
    return 1;
  }

  @Override
  public ChildProcess leader(String ledgerTopic) {
    return broker.process();
  }

  @Override
  public SmallDisk disk(ChildProcess victim) {
    return disk;
  }

  @Override
  public void restart(ChildProcess ended) {
    broker.restart();
  }

  @Override
  public void keepData() {
    disk.keep();
  }

  @Override
  public void awaitWhole() {
    broker.awaitReady();
  }

  @Override
  public void close() {
    broker.close();
    disk.close();
  }
}
