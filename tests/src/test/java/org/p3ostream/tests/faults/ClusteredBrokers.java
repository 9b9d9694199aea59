package org.p3ostream.tests.faults;

import org.apache.kafka.common.TopicPartition;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.KafkaBroker;
import org.p3ostream.deploy.stack.KafkaCluster;

/** Three brokers, each of which holds everything. */
record ClusteredBrokers(KafkaCluster cluster) implements Brokers {

  @Override
  public String name() {
    return "3-node";
  }

  @Override
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  @Override
  public int replication() {
    return cluster.brokers().size();
  }

  @Override
  public ChildProcess leader(String ledgerTopic) {
    return cluster.leaderOf(new TopicPartition(ledgerTopic, 0)).process();
  }

  @Override
  public void restart(ChildProcess killed) {
    cluster.brokers().stream()
        .filter(broker -> broker.process() == killed)
        .forEach(KafkaBroker::restart);
  }

  @Override
  public void awaitWhole() {
    cluster.awaitInSync();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
