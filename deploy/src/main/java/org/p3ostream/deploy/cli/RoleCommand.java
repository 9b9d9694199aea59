package org.p3ostream.deploy.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.meters.RoleMeters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the long-running roles have in common. */
abstract class RoleCommand implements Callable<Integer> {

  /** How long a role may take to end after it was asked to: longer than a step. */
  static final Duration STOP_GRACE = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(RoleCommand.class);

  @Mixin private ConfigOptions options = new ConfigOptions();

  @Option(
      names = "--broker-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long to wait at the start for Kafka, and then for the schema registry (default:"
              + " 60s).")
  private Duration brokerTimeout = Duration.ofSeconds(60);

  @Override
  public final Integer call() throws Exception {
    P3oConfig config = options.load();
    LOG.info("configuration:\n{}", ConfigPrinter.toYaml(config.resolved()));
    try (Interruption interruption = new Interruption(STOP_GRACE); // outlives the clients
        RoleMeters meters = meters(config);
        RoleClients clients = new RoleClients(config, meters.clients())) {
      clients.awaitBroker(brokerTimeout, LOG::warn);
      clients.awaitRegistry(brokerTimeout, LOG::warn);
      run(config, clients, meters, interruption);
    }
    return ExitCode.DONE;
  }

  /**
   * Runs the role until it is done or interrupted.
   *
   * @param meters of the process, if it measures itself
   * @param interruption to be told how the role is stopped
   */
  abstract void run(
      P3oConfig config, RoleClients clients, RoleMeters meters, Interruption interruption)
      throws Exception;

  /** What the process measures of itself. */
  abstract RoleMeters meters(P3oConfig config);

  /**
   * Labels of a process in Prometheus.
   *
   * @param role learner, producer or streams
   */
  static Map<String, String> labels(P3oConfig config, String role) {
    return Map.of("run", config.run().id(), "role", role);
  }
}
