package org.p3ostream.streams.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.p3ostream.streams.live.StepLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /api/stream?from=}: the steps as Server-Sent Events, first those that are held, then
 * each as it comes. All clients live on one event loop; the reader of the log only rings the bell.
 */
final class StreamHandler implements Handler<RoutingContext>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StreamHandler.class);

  private final StepLog steps;
  private final StreamLimits limits;
  private final Vertx vertx;
  private final Context loop;
  private final Runnable bell = this::ring;
  private final AtomicBoolean rung = new AtomicBoolean();
  private final Map<HttpServerResponse, StreamClient> clients = new HashMap<>();
  private final RenderedSteps rendered = new RenderedSteps();
  private final AtomicInteger connected = new AtomicInteger();
  private final Counter dropped;
  private long lookedAtNanos;

  StreamHandler(Vertx vertx, MeterRegistry registry, StepLog steps, StreamLimits limits) {
    this.steps = steps;
    this.limits = limits;
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.lookedAtNanos = System.nanoTime() - limits.intervalMillis() * 1_000_000;
    Gauge.builder("p3o.stream.clients", connected, AtomicInteger::get)
        .description("Clients that follow the stream of steps")
        .register(registry);
    this.dropped =
        Counter.builder("p3o.stream.dropped")
            .description("Clients of the stream that were dropped for taking nothing")
            .register(registry);
    vertx.setPeriodic(limits.heartbeatMillis(), timer -> loop.runOnContext(tick -> heartbeat()));
    steps.addListener(bell);
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      StreamQuery query =
          StreamQuery.of(
              Parameters.byName(context.queryParams()),
              context.request().getHeader("Last-Event-ID"));
      HttpServerResponse response = context.response();
      loop.runOnContext(now -> admit(context, response, query.from()));
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  /** No further client is told anything. */
  @Override
  public void close() {
    steps.removeListener(bell);
  }

  private void admit(RoutingContext context, HttpServerResponse response, long from) {
    if (response.closed()) {
      return;
    }
    if (clients.size() >= limits.maxClients()) {
      Json.busy(context, "all " + limits.maxClients() + " places at the stream are taken");
      return;
    }
    StreamClient client =
        new StreamClient(
            response, steps, from, rendered, work -> loop.runOnContext(turn -> work.run()));
    clients.put(response, client);
    connected.set(clients.size());
    response.closeHandler(closed -> loop.runOnContext(now -> forget(response)));
    response.exceptionHandler(e -> log.debug("A client of the stream broke off", e));
    client.begin();
  }

  private void forget(HttpServerResponse response) {
    clients.remove(response);
    connected.set(clients.size());
  }

  /** From any thread; many rings before the loop looks are one. */
  private void ring() {
    if (rung.compareAndSet(false, true)) {
      loop.runOnContext(now -> lookSoon());
    }
  }

  /** At once if the last look is some time ago. */
  private void lookSoon() {
    long elapsedMillis = (System.nanoTime() - lookedAtNanos) / 1_000_000;
    if (elapsedMillis >= limits.intervalMillis()) {
      look();
    } else {
      vertx.setTimer(limits.intervalMillis() - elapsedMillis, timer -> look());
    }
  }

  private void look() {
    lookedAtNanos = System.nanoTime();
    rung.set(false);
    clients.values().forEach(StreamClient::send);
  }

  private void heartbeat() {
    List.copyOf(clients.entrySet())
        .forEach(
            entry -> {
              if (!entry.getValue().heartbeat(limits.stallMillis())) {
                drop(entry.getKey());
              }
            });
  }

  private void drop(HttpServerResponse response) {
    log.warn("A client of the stream took nothing for {} ms: dropped", limits.stallMillis());
    dropped.increment();
    forget(response);
    response.reset();
  }
}
