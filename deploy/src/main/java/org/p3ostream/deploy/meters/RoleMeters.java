package org.p3ostream.deploy.meters;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registry of a process and what belongs to it; nothing of it exists unless it is served. */
public final class RoleMeters implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RoleMeters.class);

  private final @Nullable MeterRegistry registry;
  private final ClientMeters clients;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private RoleMeters(@Nullable MeterRegistry registry, ClientMeters clients) {
    this.registry = registry;
    this.clients = clients;
  }

  /** Measures nothing. */
  public static RoleMeters none() {
    return new RoleMeters(null, ClientMeters.none());
  }

  /**
   * Measures and serves.
   *
   * @param name of the process in its run
   * @param port on the loopback interface; null to measure nothing, 0 for a free one
   * @param key that {@code port} is configured by, for messages
   * @param targets where Prometheus looks for addresses; null for nowhere
   * @param labels of the process there
   */
  public static RoleMeters serve(
      String name,
      @Nullable Integer port,
      String key,
      @Nullable String targets,
      Map<String, String> labels) {
    if (port == null) {
      return none();
    }
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    RoleMeters meters = new RoleMeters(registry, ClientMeters.into(registry));
    meters.bindProcess(registry);
    MetricsEndpoint endpoint = meters.closedAtTheEnd(new MetricsEndpoint(registry, port, key));
    if (targets != null) {
      meters.closedAtTheEnd(TargetFile.write(Path.of(targets), name, endpoint.port(), labels));
    }
    LOG.info("metrics on http://127.0.0.1:{}/metrics", endpoint.port());
    return meters;
  }

  /** Where the meters of the role go; empty if nothing is measured. */
  public Optional<MeterRegistry> registry() {
    return Optional.ofNullable(registry);
  }

  /** Where those of its Kafka clients go. */
  public ClientMeters clients() {
    return clients;
  }

  private void bindProcess(MeterRegistry bound) {
    new JvmMemoryMetrics().bindTo(bound);
    closedAtTheEnd(new JvmGcMetrics()).bindTo(bound);
    new JvmThreadMetrics().bindTo(bound);
    new ClassLoaderMetrics().bindTo(bound);
    new ProcessorMetrics().bindTo(bound);
    new UptimeMetrics().bindTo(bound);
    new FileDescriptorMetrics().bindTo(bound);
  }

  private <T extends AutoCloseable> T closedAtTheEnd(T resource) {
    open.push(resource);
    return resource;
  }

  /** Ends the serving, newest first. */
  @Override
  public void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
