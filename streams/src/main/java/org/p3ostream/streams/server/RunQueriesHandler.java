package org.p3ostream.streams.server;

import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.server.BoundedWorker.Answer;

/**
 * {@code GET /api/producers}, {@code /api/staleness?windows=}, {@code /api/versions?limit=}, {@code
 * /api/latencies?windows=}, {@code /api/dead-letters} and {@code /api/tasks?windows=}: what the
 * state stores say. They are read on the worker, since an answer may go through some hundred
 * windows; 503 while they cannot be read.
 */
final class RunQueriesHandler {
  static final int DEFAULT_COUNT = 100;

  private final RunQueries queries;
  private final BoundedWorker worker;

  RunQueriesHandler(RunQueries queries, BoundedWorker worker) {
    this.queries = queries;
    this.worker = worker;
  }

  void mount(Router router) {
    mount(router, "/api/producers", RunQueries::producers);
    mount(router, "/api/dead-letters", RunQueries::deadLetters);
    mount(router, "/api/staleness", "windows", RunQueries.MAX_WINDOWS, queries::staleness);
    mount(router, "/api/latencies", "windows", RunQueries.MAX_WINDOWS, queries::latencies);
    mount(router, "/api/tasks", "windows", RunQueries.MAX_WINDOWS, queries::tasks);
    mount(router, "/api/versions", "limit", RunQueries.MAX_VERSIONS, queries::versions);
  }

  private void mount(Router router, String path, Function<RunQueries, Object> query) {
    router
        .get(path)
        .handler(
            context -> {
              try {
                Parameters.requireNone(context.queryParams());
                answer(context, query);
              } catch (BadParameterException e) {
                Json.refuse(context, e);
              }
            });
  }

  private void mount(
      Router router, String path, String parameter, int max, IntFunction<Object> query) {
    router
        .get(path)
        .handler(
            context -> {
              try {
                int count = count(Parameters.byName(context.queryParams()), parameter, max);
                answer(context, unused -> query.apply(count));
              } catch (BadParameterException e) {
                Json.refuse(context, e);
              }
            });
  }

  private static int count(Map<String, List<String>> parameters, String known, int max) {
    int count = DEFAULT_COUNT;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      if (!name.equals(known)) {
        throw new BadParameterException(name, value, "is not known; known is " + known);
      }
      count = (int) Parameters.whole(name, value, 1, max);
    }
    return count;
  }

  private void answer(RoutingContext context, Function<RunQueries, Object> query) {
    worker.answer(context, () -> Answer.json(200, query.apply(queries)));
  }
}
