package org.p3ostream.tests.faults;

import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.KafkaBroker;

/** One broker. */
record SingleBroker(KafkaBroker broker) implements Brokers {

  @Override
  public String name() {
    return "1-node";
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
  public void restart(ChildProcess killed) {
    broker.restart();
  }

  @Override
  public void awaitWhole() {
    broker.awaitReady();
  }

  @Override
  public void close() {
    broker.close();
  }
}
