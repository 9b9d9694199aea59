package org.p3ostream.streams.live;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * The steps of one run's ledger, in memory: STEP and NO_OP events, one per window. Written by the
 * reader, read by any thread.
 */
public final class StepLog {
  private final String runId;
  private final ConcurrentNavigableMap<Long, StepView> steps = new ConcurrentSkipListMap<>();
  private volatile long policyVersion;

  public StepLog(String runId) {
    this.runId = runId;
  }

  public String runId() {
    return runId;
  }

  /** Takes the next event of the ledger; an event of another run is passed over. */
  void add(StepEvent event) {
    if (!event.getRunId().equals(runId)) {
      return;
    }
    policyVersion = event.getPolicyVersionAfter();
    if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      steps.put(event.getStep(), StepView.of(event));
    }
  }

  /** At most {@code limit} steps from step {@code from} on, ascending. */
  public List<StepView> page(long from, int limit) {
    return steps.tailMap(from, true).values().stream().limit(limit).toList();
  }

  /** Number of steps known. */
  public int size() {
    return steps.size();
  }

  /** Newest step; −1 before the first. */
  public long newestStep() {
    var newest = steps.lastEntry();
    return newest == null ? -1 : newest.getKey();
  }

  /** Policy version after the newest event. */
  public long policyVersion() {
    return policyVersion;
  }

  /** Gauges {@code p3o.ledger.step} and {@code p3o.ledger.policy.version}. */
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("p3o.ledger.step", this, StepLog::newestStep)
        .description("Newest step of the ledger; -1 before the first")
        .register(registry);
    Gauge.builder("p3o.ledger.policy.version", this, StepLog::policyVersion)
        .description("Policy version after the newest ledger event")
        .register(registry);
  }
}
