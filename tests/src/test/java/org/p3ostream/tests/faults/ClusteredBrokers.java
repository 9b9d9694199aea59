package org.p3ostream.tests.faults;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.KafkaBroker;
import org.p3ostream.deploy.stack.KafkaCluster;

/** Three brokers, each of which holds everything, on a disk of its own that can be full. */
record ClusteredBrokers(KafkaCluster cluster, List<SmallDisk> disks) implements Brokers {
  private static final int SIZE = 3;

  static ClusteredBrokers start(Path directory) {
    List<SmallDisk> disks =
        IntStream.rangeClosed(1, SIZE)
            .mapToObj(id -> SmallDisk.at(directory.resolve("broker-" + id).resolve("data")))
            .toList();
    return new ClusteredBrokers(KafkaCluster.start(directory, SIZE), disks);
  }

  @Override
  public String name() {
    return Topology.CLUSTER.toString();
  }

  @Override
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  @Override
  public int replication() {
    return SIZE;
  }

  @Override
  public ChildProcess leader(String ledgerTopic) {
    return cluster.leaderOf(new TopicPartition(ledgerTopic, 0)).process();
  }

  @Override
  public SmallDisk disk(ChildProcess victim) {
    return disks.get(index(victim));
  }

  @Override
  public void restart(ChildProcess ended) {
    cluster.brokers().get(index(ended)).restart();
  }

  @Override
  public void keepData() {
    disks.forEach(SmallDisk::keep);
  }

  @Override
  public void awaitWhole() {
    cluster.awaitInSync();
  }

  @Override
  public void close() {
    cluster.close();
    disks.forEach(SmallDisk::close);
  }

  private int index(ChildProcess process) {
    return cluster.brokers().stream().map(KafkaBroker::process).toList().indexOf(process);
  }
}
