package org.p3ostream.streams.server;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.ext.healthchecks.Status;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.healthchecks.HealthCheckHandler;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.server.BoundedWorker.Answer;
import org.p3ostream.streams.web.WebAsset;

/**
 * {@code /metrics}, {@code /health/live}, {@code /health/ready}, the API under {@code /api} and the
 * dashboard at {@code /}. Bound once constructed; serves until closed.
 */
public final class MetricsServer implements AutoCloseable {
  /** The page loads nothing from elsewhere and is nobody's frame. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  private static final String STREAM = "/api/stream";

  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final Vertx vertx;
  private final StreamHandler stream;
  private final BoundedWorker logReads;
  private final BoundedWorker stateReads;
  private final HttpServer server;
  private final Set<String> apiPaths;

  /**
   * Binds.
   *
   * @param config where to bind, port 0 takes a free one, see {@link #port()}; who may ask
   * @throws IllegalStateException if the address cannot be bound or a TLS file cannot be used
   */
  public MetricsServer(
      StreamsConfig config, PrometheusMeterRegistry registry, Sources sources, Health health) {
    this(config, registry, sources, health, StreamLimits.defaults());
  }

  MetricsServer(
      StreamsConfig config,
      PrometheusMeterRegistry registry,
      Sources sources,
      Health health,
      StreamLimits limits) {
    HttpServerOptions http = HttpOptions.of(config);
    this.vertx =
        Vertx.builder().with(options()).withMetrics(new MicrometerMetricsFactory(registry)).build();
    this.stream = new StreamHandler(vertx, registry, sources.steps(), limits);
    this.logReads = new BoundedWorker(vertx, "reads of the log", 8);
    this.stateReads = new BoundedWorker(vertx, "reads of the state", 64);
    try {
      Router router = router(config, registry, sources, health);
      this.apiPaths =
          router.getRoutes().stream()
              .map(Route::getName)
              .filter(name -> name != null && name.startsWith("/api/"))
              .collect(Collectors.toUnmodifiableSet());
      this.server =
          await(
              vertx
                  .createHttpServer(http)
                  .requestHandler(request -> handle(router, request))
                  .listen(config.port(), config.host()));
    } catch (CompletionException e) {
      close();
      throw new IllegalStateException(
          "streams.port: cannot bind " + config.host() + ":" + config.port() + ", " + e.getCause(),
          e.getCause());
    }
  }

  /** The port that was bound. */
  public int port() {
    return server.actualPort();
  }

  /** What is no request is answered before the router makes an error of the server of it. */
  private static void handle(Router router, HttpServerRequest request) {
    if (isReadable(request)) {
      router.handle(request);
    } else {
      request
          .response()
          .setStatusCode(400)
          .putHeader("Content-Type", "application/json")
          .end(Json.text(new Json.Reason("the address or the Host header cannot be read")));
    }
  }

  private static boolean isReadable(HttpServerRequest request) {
    try {
      URLDecoder.decode(request.uri(), StandardCharsets.UTF_8);
      return request.authority() != null || request.getHeader("Host") == null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Paths below {@code /api} that are answered, parameters as {@code :name}. */
  Set<String> apiPaths() {
    return apiPaths;
  }

  @Override
  public void close() {
    stream.close();
    logReads.close();
    stateReads.close();
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

  private Router router(
      StreamsConfig config, PrometheusMeterRegistry registry, Sources sources, Health health) {
    Router router = Router.router(vertx);
    Gatekeeper gatekeeper = new Gatekeeper(config);
    router.route().handler(MetricsServer::guard);
    router.route().handler(gatekeeper);
    router.post(Gatekeeper.SIGN_IN).handler(gatekeeper::signIn);
    router
        .get("/metrics")
        .handler(
            context ->
                stateReads.answer(
                    context, () -> new Answer(200, PROMETHEUS_TEXT, registry.scrape())));
    router.get("/health/live").handler(checks(health.live()));
    router.get("/health/ready").handler(checks(health.ready()));
    routeApi(router, registry, sources);
    for (WebAsset asset : WebAsset.values()) {
      router.get(asset.path()).handler(context -> serve(context, asset));
    }
    answerHead(router);
    router
        .errorHandler(404, context -> Json.answer(context, 404, new Json.Reason("nothing is here")))
        .errorHandler(
            405,
            context ->
                Json.answer(context, 405, new Json.Reason("only GET and HEAD are answered")));
    return router;
  }

  /** A stream has no head of its own: whoever asks for one waits for its end. */
  private static void answerHead(Router router) {
    for (Route route : router.getRoutes()) {
      if (Set.of(HttpMethod.GET).equals(route.methods()) && !STREAM.equals(route.getPath())) {
        route.method(HttpMethod.HEAD);
      }
    }
  }

  private void routeApi(Router router, PrometheusMeterRegistry registry, Sources sources) {
    StepLog steps = sources.steps();
    Clock clock = sources.clock();
    AlertsHandler alerts = new AlertsHandler(steps, sources::silences, clock, stateReads);
    alerts.bindTo(registry);
    GroupsHandler groups =
        new GroupsHandler(steps, sources.topicPrefix(), sources.records(), logReads);
    router.get("/api/runs").handler(new RunsHandler(steps, sources.topicPrefix(), clock));
    router.get("/api/steps").handler(new StepsHandler(steps, stateReads));
    router.get(STREAM).handler(stream);
    router.get("/api/alerts").handler(alerts);
    router.get("/api/groups").handler(groups::list);
    router.get("/api/groups/:id").handler(groups::one);
    router.get("/api/groups/:id/ratios").handler(groups::ratios);
    router
        .get("/api/snapshots")
        .handler(new SnapshotsHandler(steps.runId(), sources.records(), logReads));
    new RunQueriesHandler(sources.queries(), stateReads).mount(router);
  }

  static void serve(RoutingContext context, WebAsset asset) {
    serve(context, asset.contentType(), asset.text());
  }

  static void servePage(RoutingContext context, String html) {
    serve(context, WebAsset.SIGN_IN_HTML.contentType(), html);
  }

  private static void serve(RoutingContext context, String contentType, String text) {
    context
        .response()
        .putHeader("Content-Type", contentType)
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("Referrer-Policy", "no-referrer")
        .end(text);
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
