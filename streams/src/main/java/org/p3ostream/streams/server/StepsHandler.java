package org.p3ostream.streams.server;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.StepColumn;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepMeans;
import org.p3ostream.streams.live.StepSampling;
import org.p3ostream.streams.live.StepView;
import org.p3ostream.streams.server.BoundedWorker.Answer;

/**
 * {@code GET /api/steps}: a page of the ledger's steps ({@code from}, {@code to}, {@code limit}),
 * or few steps out of many as columns ({@code from}, {@code to}, {@code points}).
 */
final class StepsHandler implements Handler<RoutingContext> {

  /**
   * A page.
   *
   * @param oldestStep oldest step held, older ones are in the ledger only; −1 before the first
   * @param nextFrom {@code from} of the next page; null when this one holds the last step that was
   *     asked for
   */
  record Page(String runId, List<StepView> steps, long oldestStep, @Nullable Long nextFrom) {}

  /**
   * Few steps out of many, see {@link StepSampling}.
   *
   * @param count steps that were chosen from
   * @param columns by name, one entry for each step chosen; null where a value is not known
   */
  record Sampled(
      String runId,
      long oldestStep,
      long newestStep,
      int count,
      Map<String, List<@Nullable Number>> columns) {}

  private final StepLog log;
  private final BoundedWorker worker;

  StepsHandler(StepLog log, BoundedWorker worker) {
    this.log = log;
    this.worker = worker;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      StepsQuery query = StepsQuery.of(Parameters.byName(context.queryParams()));
      Integer points = query.points();
      if (points == null) {
        Json.answer(context, 200, page(query));
      } else { // thousands of steps
        worker.answer(context, () -> Answer.json(200, sampled(query, points)));
      }
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  private Page page(StepsQuery query) {
    List<StepView> steps =
        log.page(query.from(), query.limit()).stream()
            .filter(step -> step.step() <= query.to())
            .toList();
    long last = Math.min(query.to(), log.newestStep());
    boolean more = !steps.isEmpty() && last(steps) < last;
    return new Page(log.runId(), steps, log.oldestStep(), more ? last(steps) + 1 : null);
  }

  private Sampled sampled(StepsQuery query, int points) {
    List<StepView> all = log.between(query.from(), query.to());
    Map<Long, Integer> places = new LinkedHashMap<>();
    for (int i = 0; i < all.size(); i++) {
      places.put(all.get(i).step(), i);
    }
    List<StepView> chosen = StepSampling.choose(all, points);
    Map<String, List<@Nullable Number>> columns = new LinkedHashMap<>();
    for (StepColumn column : StepColumn.values()) {
      List<@Nullable Number> values = new ArrayList<>(chosen.size());
      chosen.forEach(step -> values.add(column.of(step)));
      columns.put(column.title(), values);
    }
    columns.put("rewardMeanOfTen", at(chosen, places, StepMeans.reward(all)));
    columns.put("trainedTokensPerSecondOfTen", at(chosen, places, StepMeans.tokensPerSecond(all)));
    columns.put("groupsPerSecondOfTen", at(chosen, places, StepMeans.groupsPerSecond(all)));
    return new Sampled(log.runId(), log.oldestStep(), log.newestStep(), all.size(), columns);
  }

  private static List<@Nullable Number> at(
      List<StepView> chosen, Map<Long, Integer> places, List<@Nullable Double> values) {
    List<@Nullable Number> picked = new ArrayList<>(chosen.size());
    chosen.forEach(step -> picked.add(values.get(places.getOrDefault(step.step(), 0))));
    return picked;
  }

  private static long last(List<StepView> steps) {
    return steps.get(steps.size() - 1).step();
  }
}
