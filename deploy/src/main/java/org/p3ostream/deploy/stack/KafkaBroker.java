package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * One Kafka broker (KRaft, broker and controller in one) as a child JVM on the loopback interface:
 * a cluster of its own, or a node of a {@link KafkaCluster}. Its data stay in its directory, so
 * that a broker started there again carries on, also on other ports.
 */
public final class KafkaBroker implements AutoCloseable {

  /** A start takes seconds, on a crowded machine a minute; one that failed is noticed at once. */
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  /** Of the local stack only; a directory holds one cluster, so that one id serves them all. */
  private static final String CLUSTER_ID = "cDNvLWxvY2FsLXN0YWNrAA";

  /** Copies of every record, where there are so many brokers. */
  private static final int MAX_REPLICATION = 3;

  /**
   * A node of a cluster.
   *
   * @param id counted from 1
   * @param port client port
   * @param controllerPort port of the quorum
   */
  record Seat(int id, int port, int controllerPort) {}

  private final Path directory;
  private final Seat seat;
  private final List<Seat> cluster;
  private ChildProcess process;

  private KafkaBroker(Path directory, Seat seat, List<Seat> cluster) {
    this.directory = directory;
    this.seat = seat;
    this.cluster = List.copyOf(cluster);
    this.process = launchProcess();
  }

  /**
   * Launches a broker without waiting for it.
   *
   * @param directory data, configuration and log of the broker; created if missing
   * @param port client port on 127.0.0.1; 0 takes a free one
   */
  public static KafkaBroker launch(Path directory, int port) {
    List<Integer> free = FreePorts.onLoopback(2);
    Seat only = new Seat(1, port == 0 ? free.get(0) : port, free.get(1));
    return launch(directory, only, List.of(only));
  }

  /**
   * Launches a node of a cluster without waiting for it.
   *
   * @param cluster all nodes, this one among them
   */
  static KafkaBroker launch(Path directory, Seat seat, List<Seat> cluster) {
    return new KafkaBroker(directory.toAbsolutePath(), seat, cluster);
  }

  /** Launches a broker on a free port and waits until it answers. */
  public static KafkaBroker start(Path directory) {
    KafkaBroker broker = launch(directory, 0);
    try {
      broker.awaitReady();
      return broker;
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  /** Value of {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return "127.0.0.1:" + seat.port();
  }

  /** Its id in its cluster, counted from 1. */
  public int nodeId() {
    return seat.id();
  }

  public ChildProcess process() {
    return process;
  }

  /** Returns once the broker describes its cluster, and itself as a part of it. */
  public void awaitReady() {
    Readiness.await(process, START_TIMEOUT, this::isListening);
    try (Admin admin =
        Admin.create(
            Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers(),
                AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
                "20",
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                "200"))) {
      Readiness.await(process, START_TIMEOUT, () -> describesCluster(admin));
    }
  }

  /** Starts the broker again on its old ports and data, and waits for it. Ends it first. */
  public void restart() {
    process.close();
    process = launchProcess();
    awaitReady();
  }

  @Override
  public void close() {
    process.close();
  }

  private ChildProcess launchProcess() {
    Path properties = directory.resolve("broker.properties");
    try {
      Files.createDirectories(directory.resolve("tmp"));
      Files.writeString(properties, properties());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + properties, e);
    }
    return ChildProcess.start(
        JvmCommand.ofOwnClassPath(
                "broker", directory, BrokerMain.class, List.of(CLUSTER_ID, properties.toString()))
            .withQuickWarmUp()
            .withJvmFlags("-Xms48m", "-Xmx256m", "-Djava.io.tmpdir=" + directory.resolve("tmp"))
            .asTheOnlyOne());
  }

  /**
   * Everything is kept on every broker, on three at most, and written once all but one have it. The
   * cleaner's buffer is of 16 MiB instead of 128: it is taken at the start, and half of a small
   * heap would go to topics that hold a few offsets. Transactions that are out of time are looked
   * for every second instead of every ten: one that a killed producer left open holds back all who
   * read behind it.
   */
  private String properties() {
    int replication = Math.min(MAX_REPLICATION, cluster.size());
    String voters =
        cluster.stream()
            .map(node -> node.id() + "@127.0.0.1:" + node.controllerPort())
            .collect(Collectors.joining(","));
    return """
        process.roles=broker,controller
        node.id=%1$d
        controller.quorum.voters=%4$s
        listeners=PLAINTEXT://127.0.0.1:%2$d,CONTROLLER://127.0.0.1:%3$d
        controller.listener.names=CONTROLLER
        log.dirs=%5$s
        default.replication.factor=%6$d
        min.insync.replicas=%7$d
        offsets.topic.replication.factor=%6$d
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=%6$d
        transaction.state.log.min.isr=%7$d
        transaction.state.log.num.partitions=1
        share.coordinator.state.topic.replication.factor=%6$d
        share.coordinator.state.topic.min.isr=%7$d
        group.initial.rebalance.delay.ms=0
        auto.create.topics.enable=false
        broker.session.timeout.ms=3000
        broker.heartbeat.interval.ms=500
        log.cleaner.dedupe.buffer.size=16777216
        transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
        """
        .formatted(
            seat.id(),
            seat.port(),
            seat.controllerPort(),
            voters,
            directory.resolve("data"),
            replication,
            Math.max(1, replication - 1));
  }

  private boolean isListening() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), seat.port()), 200);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean describesCluster(Admin admin) {
    try {
      return admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).stream()
          .anyMatch(node -> node.id() == seat.id());
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the broker", e);
    }
  }
}
