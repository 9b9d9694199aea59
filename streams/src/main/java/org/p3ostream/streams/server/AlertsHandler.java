package org.p3ostream.streams.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.alert.Alert;
import org.p3ostream.streams.alert.AlertRule;
import org.p3ostream.streams.alert.Observation;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.live.RunOrigin;
import org.p3ostream.streams.live.RunState;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.server.BoundedWorker.Answer;

/** {@code GET /api/alerts}, and the gauges {@code p3o.alert.firing} that say the same. */
final class AlertsHandler implements Handler<RoutingContext> {

  /**
   * Every rule with its outcome.
   *
   * @param now when this was said, milliseconds since the epoch
   * @param firing rules that fire
   */
  record Alerts(long now, long firing, List<Alert> alerts) {}

  private final StepLog steps;
  private final Supplier<@Nullable List<ProducerSilence>> producers;
  private final Clock clock;
  private final BoundedWorker worker;

  /**
   * @param producers reads a state store
   * @param worker where it is read
   */
  AlertsHandler(
      StepLog steps,
      Supplier<@Nullable List<ProducerSilence>> producers,
      Clock clock,
      BoundedWorker worker) {
    this.steps = steps;
    this.producers = producers;
    this.clock = clock;
    this.worker = worker;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      Parameters.requireNone(context.queryParams());
    } catch (BadParameterException e) {
      Json.refuse(context, e);
      return;
    }
    worker.answer(context, () -> Answer.json(200, alerts()));
  }

  private Alerts alerts() {
    Observation seen = observe(producers.get());
    List<Alert> alerts = AlertRule.evaluateAll(seen);
    long firing = alerts.stream().filter(alert -> alert.state() == Alert.State.FIRING).count();
    return new Alerts(seen.now(), firing, alerts);
  }

  void bindTo(MeterRegistry registry) {
    for (AlertRule rule : AlertRule.values()) {
      Gauge.builder("p3o.alert.firing", () -> firing(rule))
          .tag("alert", rule.id())
          .description("1 while the rule fires, 0 while it does not, NaN while nobody can tell")
          .register(registry);
    }
  }

  private double firing(AlertRule rule) {
    boolean asksForProducers = rule == AlertRule.PRODUCER_SILENT;
    return switch (rule.evaluate(observe(asksForProducers ? producers.get() : null)).state()) {
      case OK -> 0;
      case FIRING -> 1;
      case UNKNOWN -> Double.NaN;
    };
  }

  private Observation observe(@Nullable List<ProducerSilence> silences) {
    long now = clock.millis();
    RunOrigin origin = steps.origin();
    return new Observation(
        now,
        RunState.of(steps, now),
        steps.newest(RunState.USUAL_OF),
        origin == null ? null : (Long) origin.startedAt(),
        steps.stalenessBound(),
        silences,
        steps.deadLetters().since(now - AlertRule.DEAD_LETTER_SPAN.toMillis()));
  }
}
