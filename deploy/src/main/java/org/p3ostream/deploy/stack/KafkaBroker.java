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
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * One Kafka broker (KRaft, broker and controller in one) as a child JVM on the loopback interface.
 * Its data stay in its directory, so that a broker started there again carries on.
 */
public final class KafkaBroker implements AutoCloseable {

  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  /** Of the local stack only; a directory holds one cluster, so that one id serves them all. */
  private static final String CLUSTER_ID = "cDNvLWxvY2FsLXN0YWNrAA";

  private final Path directory;
  private final int port;
  private final int controllerPort;
  private ChildProcess process;

  private KafkaBroker(Path directory, int port, int controllerPort) {
    this.directory = directory;
    this.port = port;
    this.controllerPort = controllerPort;
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
    return new KafkaBroker(directory.toAbsolutePath(), port == 0 ? free.get(0) : port, free.get(1));
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
    return "127.0.0.1:" + port;
  }

  public ChildProcess process() {
    return process;
  }

  /** Returns once the broker describes its cluster. */
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
            .withJvmFlags("-Xms48m", "-Xmx256m", "-Djava.io.tmpdir=" + directory.resolve("tmp")));
  }

  /**
   * One node, everything replicated once. The cleaner's buffer is of 16 MiB instead of 128: it is
   * taken at the start, and half of a small heap would go to topics that hold a few offsets.
   */
  private String properties() {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        controller.listener.names=CONTROLLER
        log.dirs=%3$s
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        transaction.state.log.num.partitions=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        group.initial.rebalance.delay.ms=0
        auto.create.topics.enable=false
        broker.session.timeout.ms=3000
        broker.heartbeat.interval.ms=500
        log.cleaner.dedupe.buffer.size=16777216
        """
        .formatted(port, controllerPort, directory.resolve("data"));
  }

  private boolean isListening() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean describesCluster(Admin admin) {
    try {
      return !admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).isEmpty();
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the broker", e);
    }
  }
}
