package org.p3ostream.streams.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepView;

/** {@code GET /api/steps?from=&limit=}: a page of the ledger's steps. */
final class StepsHandler implements Handler<RoutingContext> {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /**
   * A page.
   *
   * @param nextFrom {@code from} of the next page; null when this one holds the newest step
   */
  record Page(String runId, List<StepView> steps, @Nullable Long nextFrom) {}

  /** What was wrong with a parameter. */
  record BadParameter(String parameter, String value, String rule) {}

  private final StepLog log;

  StepsHandler(StepLog log) {
    this.log = log;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      answer(context, 200, page(StepsQuery.of(byName(context.queryParams()))));
    } catch (BadParameterException e) {
      answer(context, 400, new BadParameter(e.name(), e.value(), e.rule()));
    }
  }

  private Page page(StepsQuery query) {
    List<StepView> steps = log.page(query.from(), query.limit());
    boolean more = !steps.isEmpty() && last(steps) < log.newestStep();
    return new Page(log.runId(), steps, more ? last(steps) + 1 : null);
  }

  private static long last(List<StepView> steps) {
    return steps.get(steps.size() - 1).step();
  }

  private static Map<String, List<String>> byName(MultiMap parameters) {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    parameters.names().forEach(name -> byName.put(name, parameters.getAll(name)));
    return byName;
  }

  private static void answer(RoutingContext context, int status, Object body) {
    context
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .end(Buffer.buffer(json(body)));
  }

  private static byte[] json(Object body) {
    try {
      return MAPPER.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write " + body.getClass().getSimpleName(), e);
    }
  }
}
