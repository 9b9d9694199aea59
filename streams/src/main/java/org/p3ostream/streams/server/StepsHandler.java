package org.p3ostream.streams.server;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepView;

/** {@code GET /api/steps?from=&limit=}: a page of the ledger's steps. */
final class StepsHandler implements Handler<RoutingContext> {

  /**
   * A page.
   *
   * @param oldestStep oldest step held, older ones are in the ledger only; −1 before the first
   * @param nextFrom {@code from} of the next page; null when this one holds the newest step
   */
  record Page(String runId, List<StepView> steps, long oldestStep, @Nullable Long nextFrom) {}

  private final StepLog log;

  StepsHandler(StepLog log) {
    this.log = log;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      Json.answer(context, 200, page(StepsQuery.of(Parameters.byName(context.queryParams()))));
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  private Page page(StepsQuery query) {
    List<StepView> steps = log.page(query.from(), query.limit());
    boolean more = !steps.isEmpty() && last(steps) < log.newestStep();
    return new Page(log.runId(), steps, log.oldestStep(), more ? last(steps) + 1 : null);
  }

  private static long last(List<StepView> steps) {
    return steps.get(steps.size() - 1).step();
  }
}
