package org.p3ostream.streams.server;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.ext.healthchecks.Status;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.healthchecks.HealthCheckHandler;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.web.WebAsset;

/**
 * {@code /metrics}, {@code /health/live}, {@code /health/ready}, {@code /api/steps}, {@code
 * /api/stream} and the live page at {@code /}. Bound once constructed; serves until closed.
 */
public final class MetricsServer implements AutoCloseable {
  /** The page loads nothing from elsewhere and is nobody's frame. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Vertx vertx;
  private final StreamHandler stream;
  private final HttpServer server;

  /**
   * Binds.
   *
   * @param port 0 takes a free one, see {@link #port()}
   * @throws IllegalStateException if the address cannot be bound
   */
  public MetricsServer(
      String host,
      int port,
      PrometheusMeterRegistry registry,
      StepLog steps,
      RunQueries queries,
      Health health) {
    this(host, port, registry, steps, queries, health, StreamLimits.defaults());
  }

  MetricsServer(
      String host,
      int port,
      PrometheusMeterRegistry registry,
      StepLog steps,
      RunQueries queries,
      Health health,
      StreamLimits limits) {
    this.vertx =
        Vertx.builder().with(options()).withMetrics(new MicrometerMetricsFactory(registry)).build();
    this.stream = new StreamHandler(vertx, registry, steps, limits);
    try {
      Router router = router(registry, steps, health);
      new RunQueriesHandler(vertx, queries).mount(router);
      this.server = await(vertx.createHttpServer().requestHandler(router).listen(port, host));
    } catch (CompletionException e) {
      close();
      throw new IllegalStateException(
          "streams.port: cannot bind " + host + ":" + port + ", " + e.getCause(), e.getCause());
    }
  }

  /** The port that was bound. */
  public int port() {
    return server.actualPort();
  }

  @Override
  public void close() {
    stream.close();
    await(vertx.close());
  }

  private static VertxOptions options() {
    return new VertxOptions()
        .setEventLoopPoolSize(1)
        .setWorkerPoolSize(1)
        .setInternalBlockingPoolSize(1)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false))
        .setMetricsOptions(new MicrometerMetricsOptions().setEnabled(true));
  }

  private Router router(PrometheusMeterRegistry registry, StepLog steps, Health health) {
    Router router = Router.router(vertx);
    router.route().handler(MetricsServer::guard);
    router
        .get("/metrics")
        .handler(
            context ->
                context
                    .response()
                    .putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                    .end(registry.scrape()));
    router.get("/health/live").handler(checks(health.live()));
    router.get("/health/ready").handler(checks(health.ready()));
    router.get("/api/steps").handler(new StepsHandler(steps));
    router.get("/api/stream").handler(stream);
    for (WebAsset asset : WebAsset.values()) {
      router.get(asset.path()).handler(context -> serve(context, asset));
    }
    return router;
  }

  private static void serve(RoutingContext context, WebAsset asset) {
    context
        .response()
        .putHeader("Content-Type", asset.contentType())
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("Referrer-Policy", "no-referrer")
        .end(asset.text());
  }

  /** Answers are of the moment and for nobody's page but our own. */
  private static void guard(RoutingContext context) {
    context
        .response()
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff");
    context.next();
  }

  private HealthCheckHandler checks(Map<String, Supplier<Condition>> conditions) {
    HealthChecks checks = HealthChecks.create(vertx);
    conditions.forEach(
        (name, condition) ->
            checks.register(name, promise -> promise.complete(status(condition.get()))));
    return HealthCheckHandler.createWithHealthChecks(checks);
  }

  private static Status status(Condition condition) {
    JsonObject detail = new JsonObject().put("detail", condition.detail());
    return condition.holds() ? Status.OK(detail) : Status.KO(detail);
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
