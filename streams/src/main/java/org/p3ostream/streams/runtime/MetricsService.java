package org.p3ostream.streams.runtime;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.live.LatestMetrics;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.lookup.LogReader;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.server.Condition;
import org.p3ostream.streams.server.Health;
import org.p3ostream.streams.server.MetricsServer;
import org.p3ostream.streams.server.Sources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics service: waits for the topics of the run, runs the topology, follows the log and
 * serves both over HTTP.
 *
 * <pre>{@code
 * try (var service = new MetricsService(settings, clients, registry)) {
 *   service.start();                      // the port answers from here on, not ready yet
 *   System.out.println(service.port());
 *   service.awaitTermination();           // returns after close(), throws when the service failed
 * }
 * }</pre>
 *
 * A stream thread or follower that dies takes the service down: it reports itself neither alive nor
 * ready, closes its clients and lets {@link #awaitTermination()} throw. Nothing is lost then;
 * another start goes on from the last commit.
 */
public final class MetricsService implements AutoCloseable {
  private static final Duration REGISTRY_PAUSE = Duration.ofMillis(500);
  private static final Logger log = LoggerFactory.getLogger(MetricsService.class);

  private final StreamsSettings settings;
  private final StreamsClients clients;
  private final PrometheusMeterRegistry registry;
  private final StepLog steps;
  private final LatestMetrics latest;
  private final TopicGate gate;
  private final LookupClients lookups;
  private final JvmGcMetrics gcMetrics = new JvmGcMetrics();
  private final Thread supervisor = new Thread(this::supervise, "p3o-metrics-supervisor");
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile @Nullable MetricsServer server;
  private volatile @Nullable RunningTopology topology;
  private volatile @Nullable FollowerThread follower;

  public MetricsService(
      StreamsSettings settings, StreamsClients clients, PrometheusMeterRegistry registry) {
    this.settings = settings;
    this.clients = clients;
    this.registry = registry;
    this.steps = new StepLog(settings.runId(), settings.runSteps());
    this.latest = new LatestMetrics(settings.runId());
    this.gate =
        new TopicGate(
            List.of(
                settings.topics().rollouts().name(),
                settings.topics().steps().name(),
                settings.topics().deadLetters().name(),
                settings.topics().metrics().name()),
            settings.clientTimeout());
    this.lookups =
        new LookupClients(
            settings.topics(),
            clients.kafka(),
            () -> codec(LogReader.PATIENCE),
            clients.tokens(),
            clients.ratios(),
            registry,
            gate::open);
  }

  /**
   * Binds the HTTP server and begins to work in the background. Once only.
   *
   * @throws IllegalStateException if the address cannot be bound
   */
  public void start() {
    bindMeters();
    server = new MetricsServer(settings.streams(), registry, sources(), health());
    log.info(
        "Dashboard on {}://{}:{}/",
        settings.streams().tlsCertificatePath() == null ? "http" : "https",
        settings.streams().host(),
        port());
    supervisor.start();
  }

  /** The port the HTTP server is bound to. */
  public int port() {
    MetricsServer bound = server;
    if (bound == null) {
      throw new IllegalStateException("the service was not started");
    }
    return bound.port();
  }

  /**
   * Returns once the service was closed.
   *
   * @throws ServiceFailedException once it failed; the HTTP server still answers then, until {@link
   *     #close()}
   */
  public void awaitTermination() throws InterruptedException {
    ended.await();
    Throwable cause = failure.get();
    if (cause != null) {
      throw new ServiceFailedException("The metrics service failed: " + cause.getMessage(), cause);
    }
  }

  /**
   * Ends the work and the HTTP server. Safe from any thread, a shutdown hook included, and twice.
   */
  @Override
  public void close() {
    stop.countDown();
    MetricsServer bound = server;
    if (bound == null) {
      ended.countDown();
      return;
    }
    awaitEnd();
    bound.close();
    lookups.close();
    gcMetrics.close();
  }

  private void supervise() {
    try {
      if (topicsAreThere()) {
        work();
      }
    } catch (InterruptedException | RuntimeException | Error e) { // nobody else would be told
      fail(e);
    } finally {
      ended.countDown();
    }
  }

  private boolean topicsAreThere() throws InterruptedException {
    try (Admin admin = Admin.create(KafkaProperties.admin(clients.kafka()))) {
      return gate.await(admin, stop);
    }
  }

  private void work() throws InterruptedException {
    try (FollowerThread reading =
            new FollowerThread(
                settings.topics(),
                clients.kafka(),
                codec(settings.clientTimeout()),
                steps,
                latest,
                registry,
                this::fail);
        RunningTopology running =
            new RunningTopology(
                settings, clients, codec(settings.clientTimeout()), registry, this::fail)) {
      follower = reading;
      topology = running;
      reading.start();
      running.start();
      stop.await();
    }
  }

  private PatientCodec codec(Duration patience) {
    return new PatientCodec(clients.codecs().get(), patience, REGISTRY_PAUSE);
  }

  private void fail(Throwable cause) {
    if (failure.compareAndSet(null, cause)) {
      log.error("The metrics service failed", cause);
    }
    stop.countDown();
  }

  private Sources sources() {
    Clock clock = Clock.systemUTC();
    RunQueries queries = new RunQueries(new KafkaStores(this::runningStreams), clock);
    return new Sources(settings.topics().prefix(), steps, lookups, queries, clock);
  }

  private Health health() {
    return new Health(
        Map.of("service", this::alive),
        Map.of(
            "service",
            this::alive,
            "topics",
            () -> new Condition(gate.open(), gate.detail()),
            "streams",
            this::topologyCondition,
            "ledger",
            this::followerCondition));
  }

  private Condition alive() {
    Throwable cause = failure.get();
    return cause == null
        ? new Condition(true, "working")
        : new Condition(false, "failed: " + cause.getClass().getSimpleName());
  }

  private @Nullable KafkaStreams runningStreams() {
    RunningTopology running = topology;
    return running == null ? null : running.streams();
  }

  private Condition topologyCondition() {
    RunningTopology running = topology;
    return running == null ? new Condition(false, "not started") : running.condition();
  }

  private Condition followerCondition() {
    FollowerThread reading = follower;
    return reading == null ? new Condition(false, "not started") : reading.condition();
  }

  private void bindMeters() {
    new JvmMemoryMetrics().bindTo(registry);
    gcMetrics.bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    steps.bindTo(registry);
    latest.bindTo(registry);
  }

  private void awaitEnd() {
    boolean interrupted = false;
    while (ended.getCount() > 0) {
      try {
        ended.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
