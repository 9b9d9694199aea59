package org.p3ostream.deploy.meters;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** Binds the metrics that Kafka clients keep of themselves. To be closed before the clients are. */
public final class ClientMeters implements AutoCloseable {

  private final @Nullable MeterRegistry registry;
  private final @Nullable ScheduledExecutorService scheduler;
  private final Deque<KafkaClientMetrics> bound = new ArrayDeque<>();

  private ClientMeters(@Nullable MeterRegistry registry) {
    this.registry = registry;
    this.scheduler =
        registry == null
            ? null
            : Executors.newSingleThreadScheduledExecutor(
                work -> {
                  Thread thread = new Thread(work, "client-meters");
                  thread.setDaemon(true);
                  return thread;
                });
  }

  /** Binds nothing. */
  public static ClientMeters none() {
    return new ClientMeters(null);
  }

  static ClientMeters into(MeterRegistry registry) {
    return new ClientMeters(registry);
  }

  /** Binds what {@code client} measures. */
  public void bind(Producer<?, ?> client) {
    if (scheduler != null) {
      bind(new KafkaClientMetrics(client, List.of(), scheduler));
    }
  }

  /** Binds what {@code client} measures. */
  public void bind(Consumer<?, ?> client) {
    if (scheduler != null) {
      bind(new KafkaClientMetrics(client, List.of(), scheduler));
    }
  }

  /** Binds what {@code client} measures. */
  public void bind(Admin client) {
    if (scheduler != null && client instanceof AdminClient known) {
      bind(new KafkaClientMetrics(known, List.of(), scheduler));
    }
  }

  private void bind(KafkaClientMetrics metrics) {
    if (registry != null) {
      metrics.bindTo(registry);
      bound.push(metrics);
    }
  }

  @Override
  public void close() {
    while (!bound.isEmpty()) {
      bound.pop().close();
    }
    if (scheduler != null) {
      scheduler.shutdownNow();
    }
  }
}
