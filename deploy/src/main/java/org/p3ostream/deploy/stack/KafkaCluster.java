package org.p3ostream.deploy.stack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Several Kafka brokers that are one cluster, each a child JVM that may be killed, paused and
 * started again by itself. Every record lies on three brokers and is written once two have it, so
 * that one may be away. Topics need a replication factor of their own: {@code
 * learner.topicReplication}.
 */
public final class KafkaCluster implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final long CALL_SECONDS = 5;

  private final List<KafkaBroker> brokers;

  private KafkaCluster(List<KafkaBroker> brokers) {
    this.brokers = List.copyOf(brokers);
  }

  /**
   * Starts a cluster on free ports and waits until all of it answers.
   *
   * @param directory keeps data and logs of all brokers
   * @param size number of brokers, ≥ 1
   */
  public static KafkaCluster start(Path directory, int size) {
    KafkaCluster cluster = launch(directory, size);
    try {
      cluster.awaitReady();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Launches a cluster without waiting for it. */
  public static KafkaCluster launch(Path directory, int size) {
    List<Integer> ports = FreePorts.onLoopback(2 * size);
    List<KafkaBroker.Seat> seats =
        IntStream.range(0, size)
            .mapToObj(i -> new KafkaBroker.Seat(i + 1, ports.get(2 * i), ports.get(2 * i + 1)))
            .toList();
    List<KafkaBroker> launched = new ArrayList<>();
    try {
      for (KafkaBroker.Seat seat : seats) {
        launched.add(KafkaBroker.launch(directory.resolve("broker-" + seat.id()), seat, seats));
      }
    } catch (RuntimeException e) {
      launched.forEach(KafkaBroker::close);
      throw e;
    }
    return new KafkaCluster(launched);
  }

  /** Value of {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return brokers.stream().map(KafkaBroker::bootstrapServers).collect(Collectors.joining(","));
  }

  /** All of them, in the order of their ids. */
  public List<KafkaBroker> brokers() {
    return brokers;
  }

  /**
   * @param nodeId counted from 1
   */
  public KafkaBroker broker(int nodeId) {
    return brokers.get(nodeId - 1);
  }

  /**
   * The broker that leads a partition at the moment.
   *
   * @throws IllegalStateException if nobody does within a minute
   */
  public KafkaBroker leaderOf(TopicPartition partition) {
    try (Admin admin = admin()) {
      int[] leader = new int[1];
      Readiness.await(
          "a leader of " + partition,
          TIMEOUT,
          () -> {
            leader[0] = leader(admin, partition);
            return leader[0] > 0;
          });
      return broker(leader[0]);
    }
  }

  /** Returns once all brokers describe themselves as parts of the cluster. */
  public void awaitReady() {
    brokers.forEach(KafkaBroker::awaitReady);
  }

  /**
   * Returns once every partition has a leader and all its copies in step: only then may the next
   * broker go without taking records or availability with it.
   *
   * @throws IllegalStateException if that takes longer than a minute
   */
  public void awaitInSync() {
    try (Admin admin = admin()) {
      Readiness.await("all copies to be in step", TIMEOUT, () -> isInSync(admin));
    }
  }

  /** The children. */
  public List<ChildProcess> processes() {
    return brokers.stream().map(KafkaBroker::process).toList();
  }

  /** Ends all of them, side by side: what stays to the last misses its quorum. */
  @Override
  public void close() {
    processes().forEach(ChildProcess::terminate);
    processes().forEach(ChildProcess::close);
  }

  private Admin admin() {
    return Admin.create(
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers(),
            AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
            "20",
            AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
            "200"));
  }

  private static int leader(Admin admin, TopicPartition partition) {
    try {
      return describe(admin, Set.of(partition.topic())).get(0).partitions().stream()
          .filter(p -> p.partition() == partition.partition() && p.leader() != null)
          .mapToInt(p -> p.leader().id())
          .findFirst()
          .orElse(-1);
    } catch (ExecutionException | TimeoutException e) {
      return -1;
    }
  }

  private static boolean isInSync(Admin admin) {
    try {
      Set<String> topics = get(admin.listTopics().names());
      return describe(admin, topics).stream()
          .flatMap(topic -> topic.partitions().stream())
          .allMatch(p -> p.leader() != null && p.isr().size() == p.replicas().size());
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private static List<TopicDescription> describe(Admin admin, Set<String> topics)
      throws ExecutionException, TimeoutException {
    return List.copyOf(get(admin.describeTopics(topics).allTopicNames()).values());
  }

  private static <T> T get(KafkaFuture<T> future) throws ExecutionException, TimeoutException {
    try {
      return future.get(CALL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking the cluster", e);
    }
  }
}
