package org.p3ostream.deploy.meters;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.runtime.LearnerObserver;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/** Meters of a learner. */
public final class LearnerMeters implements LearnerObserver {

  private final Map<Phase, Timer> phases = new EnumMap<>(Phase.class);
  private final Map<StepKind, Counter> events = new EnumMap<>(StepKind.class);
  private final Map<RejectionReason, Counter> rejected = new EnumMap<>(RejectionReason.class);
  private final Counter groups;
  private final Counter tokens;
  private volatile @Nullable StepEvent last;

  public LearnerMeters(MeterRegistry registry) {
    for (Phase phase : Phase.values()) {
      phases.put(phase, ProcessMeter.LEARNER_PHASE.timer(registry, label(phase)));
    }
    for (StepKind kind : StepKind.values()) {
      if (kind != StepKind.UNKNOWN) {
        events.put(kind, ProcessMeter.LEARNER_EVENTS.counter(registry, label(kind)));
      }
    }
    for (RejectionReason reason : RejectionReason.values()) {
      rejected.put(reason, ProcessMeter.LEARNER_REJECTED_RECORDS.counter(registry, label(reason)));
    }
    groups = ProcessMeter.LEARNER_GROUPS.counter(registry);
    tokens = ProcessMeter.LEARNER_TOKENS.counter(registry);
    ProcessMeter.LEARNER_STEP.gauge(registry, this, m -> m.ofLast(StepEvent::getStep));
    ProcessMeter.LEARNER_POLICY_VERSION.gauge(
        registry, this, m -> m.ofLast(StepEvent::getPolicyVersionAfter));
    ProcessMeter.LEARNER_LAST_STEP.gauge(
        registry, this, m -> m.ofLast(event -> event.getCommittedAt() / 1e3));
  }

  @Override
  public void spent(Phase phase, double millis) {
    Timer timer = phases.get(phase);
    if (timer != null) {
      timer.record((long) (millis * 1e6), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void committed(StepEvent event) {
    increment(events.get(event.getKind()));
    for (SkippedRecord record : event.getSkipped()) {
      increment(rejected.get(record.getReason()));
    }
    if (event.getKind() == StepKind.STEP) {
      groups.increment(event.getWindow().size());
      tokens.increment(
          event.getMetrics() == null ? 0 : (double) event.getMetrics().getValidTokens());
    }
    if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      last = event;
    }
  }

  private static void increment(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }

  private double ofLast(ToDoubleFunction<StepEvent> figure) {
    StepEvent event = last;
    return event == null ? Double.NaN : figure.applyAsDouble(event);
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
