package org.p3ostream.deploy.stack;

import java.nio.file.Path;
import java.util.List;

/** A Kafka broker and a schema registry on the loopback interface, started side by side. */
public final class LocalStack implements AutoCloseable {

  private final KafkaBroker broker;
  private final SchemaRegistry registry;

  private LocalStack(KafkaBroker broker, SchemaRegistry registry) {
    this.broker = broker;
    this.registry = registry;
  }

  /** Starts both on free ports and waits until both answer. */
  public static LocalStack start(Path directory) {
    LocalStack stack = launch(directory, 0, 0);
    try {
      stack.awaitReady();
      return stack;
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  /**
   * Launches both without waiting for them.
   *
   * @param directory keeps data and logs of both
   * @param brokerPort 0 takes a free one
   * @param registryPort 0 takes a free one
   */
  public static LocalStack launch(Path directory, int brokerPort, int registryPort) {
    KafkaBroker broker = KafkaBroker.launch(directory.resolve("broker"), brokerPort);
    try {
      return new LocalStack(
          broker, SchemaRegistry.launch(directory.resolve("registry"), registryPort));
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  /** Returns once both answer. */
  public void awaitReady() {
    broker.awaitReady();
    registry.awaitReady();
  }

  /** Value of {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /** Value of {@code schema.registry.url}. */
  public String registryUrl() {
    return registry.url();
  }

  public KafkaBroker broker() {
    return broker;
  }

  public SchemaRegistry registry() {
    return registry;
  }

  /** The two children. */
  public List<ChildProcess> processes() {
    return List.of(broker.process(), registry.process());
  }

  /** Ends both, side by side. */
  @Override
  public void close() {
    processes().forEach(ChildProcess::terminate);
    processes().forEach(ChildProcess::close);
  }
}
