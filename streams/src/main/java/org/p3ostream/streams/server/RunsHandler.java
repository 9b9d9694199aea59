package org.p3ostream.streams.server;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.RunOrigin;
import org.p3ostream.streams.live.RunState;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepView;

/** {@code GET /api/runs}: the run that is served, and how it is doing. */
final class RunsHandler implements Handler<RoutingContext> {

  /**
   * All runs served: one, until a service follows several.
   *
   * @param now when this was said, milliseconds since the epoch
   */
  record Runs(long now, List<Run> runs) {}

  /**
   * A run.
   *
   * @param algorithm of the newest step; null before the first
   * @param startedAt when GENESIS was prepared, milliseconds since the epoch; null before it
   * @param scheduleSteps length of the learning-rate schedule in steps
   * @param forkOf null unless the run is a fork
   * @param oldestStep oldest step held here; −1 before the first
   * @param newestStep newest step; −1 before the first
   * @param lastStepAt when it was prepared, milliseconds since the epoch
   * @param secondsSinceLastStep by the clock of this service
   * @param medianStepMillis of the newest {@link RunState#USUAL_OF} steps
   * @param stalenessBound largest staleness that the configuration allows, policy versions
   */
  record Run(
      String runId,
      String topicPrefix,
      RunState state,
      @Nullable String algorithm,
      @Nullable Long startedAt,
      @Nullable Long scheduleSteps,
      RunOrigin.@Nullable Fork forkOf,
      long oldestStep,
      long newestStep,
      long policyVersion,
      @Nullable Long lastStepAt,
      @Nullable Double secondsSinceLastStep,
      @Nullable Long medianStepMillis,
      @Nullable Long stalenessBound) {}

  private final StepLog steps;
  private final String topicPrefix;
  private final Clock clock;

  RunsHandler(StepLog steps, String topicPrefix, Clock clock) {
    this.steps = steps;
    this.topicPrefix = topicPrefix;
    this.clock = clock;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      Parameters.requireNone(context.queryParams());
      long now = clock.millis();
      Json.answer(context, 200, new Runs(now, List.of(run(now))));
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  private Run run(long now) {
    RunOrigin origin = steps.origin();
    List<StepView> newest = steps.newest(RunState.USUAL_OF);
    StepView last = newest.isEmpty() ? null : newest.get(newest.size() - 1);
    return new Run(
        steps.runId(),
        topicPrefix,
        RunState.of(steps, now),
        last == null ? null : last.algorithm(),
        origin == null ? null : (Long) origin.startedAt(),
        origin == null ? null : origin.scheduleSteps(),
        origin == null ? null : origin.forkOf(),
        steps.oldestStep(),
        steps.newestStep(),
        steps.policyVersion(),
        last == null ? null : (Long) last.committedAt(),
        last == null ? null : (Double) (Math.max(0, now - last.committedAt()) / 1000.0),
        RunState.medianMillis(newest),
        steps.stalenessBound());
  }
}
