package org.p3ostream.streams.runtime;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.server.Condition;
import org.p3ostream.streams.topology.MetricsTopology;

/** The topology in its Kafka Streams runtime. */
final class RunningTopology implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final PatientCodec codec;
  private final KafkaStreams streams;
  private final KafkaStores stores;
  private final KafkaStreamsMetrics meters;

  /**
   * @param codec for the stream thread; closed with this
   * @param onDeath told once if the stream thread dies
   */
  RunningTopology(
      StreamsSettings settings,
      StreamsClients clients,
      PatientCodec codec,
      MeterRegistry registry,
      Consumer<Throwable> onDeath) {
    this.codec = codec;
    this.streams =
        new KafkaStreams(
            new MetricsTopology(
                    settings.topics(),
                    settings.runId(),
                    codec,
                    registry,
                    settings.streams().publishMetrics(),
                    this::answers)
                .build(),
            KafkaProperties.streams(settings, clients.kafka()));
    this.meters = new KafkaStreamsMetrics(streams);
    streams.setUncaughtExceptionHandler(
        cause -> {
          onDeath.accept(cause);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    meters.bindTo(registry);
    this.stores = new KafkaStores(() -> streams);
    for (String name : MetricsTopology.stores()) {
      Gauge.builder("p3o.streams.store.entries", () -> stores.entries(name))
          .tag("store", name)
          .description("Entries of a state store of the topology; NaN while it cannot be read")
          .register(registry);
    }
  }

  void start() {
    streams.start();
  }

  /** For queries of its stores. */
  KafkaStreams streams() {
    return streams;
  }

  /** Responses of brokers to the main consumer, which has a request open as long as it is alive. */
  private long answers() {
    double count = 0;
    for (Map.Entry<MetricName, ? extends Metric> metric : streams.metrics().entrySet()) {
      MetricName name = metric.getKey();
      String client = name.tags().getOrDefault("client-id", "");
      if (name.name().equals("response-total")
          && name.group().equals("consumer-metrics")
          && !client.endsWith("-restore-consumer")) {
        count += (double) metric.getValue().metricValue();
      }
    }
    return (long) count;
  }

  /** Holds while every store can be read here: questions are answered out of all of them. */
  Condition condition() {
    List<String> elsewhere =
        MetricsTopology.stores().stream()
            .filter(name -> Double.isNaN(stores.entries(name)))
            .toList();
    KafkaStreams.State state = streams.state();
    if (state != KafkaStreams.State.RUNNING) {
      return new Condition(false, state.name());
    }
    return elsewhere.isEmpty()
        ? new Condition(true, state.name())
        : new Condition(
            false,
            "another service with this application id holds " + String.join(", ", elsewhere));
  }

  /** Leaves the group, so that a successor need not wait for this member to time out. */
  @Override
  public void close() {
    codec.stopWaiting();
    streams.close(
        CloseOptions.timeout(CLOSE_TIMEOUT)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    meters.close();
    codec.close();
  }
}
