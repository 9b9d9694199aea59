package org.p3ostream.streams.live;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * The newest steps of one run's ledger, in memory: STEP and NO_OP events, one per window. When more
 * than its capacity have come, the oldest are dropped; the ledger keeps them. Written by the
 * reader, read by any thread.
 */
public final class StepLog {
  /** Steps held unless told otherwise; about a kilobyte each. */
  public static final int DEFAULT_CAPACITY = 20_000;

  private final String runId;
  private final @Nullable Long runSteps;
  private final int capacity;
  private final ConcurrentNavigableMap<Long, StepView> steps = new ConcurrentSkipListMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final GroupIndex groups = new GroupIndex();
  private final DeadLetterTally deadLetters = new DeadLetterTally();
  private volatile long policyVersion;
  private volatile @Nullable RunOrigin origin;
  private volatile @Nullable Long stalenessBound;
  private @Nullable Long previousAt;
  private int skippedSince;
  private int held;

  public StepLog(String runId) {
    this(runId, DEFAULT_CAPACITY);
  }

  /**
   * Of a run with a known end.
   *
   * @param runSteps steps that its learner is to make; null if nobody knows
   */
  public StepLog(String runId, @Nullable Long runSteps) {
    this(runId, runSteps, DEFAULT_CAPACITY);
  }

  /**
   * @param capacity most steps held, ≥ 1
   */
  public StepLog(String runId, int capacity) {
    this(runId, null, capacity);
  }

  private StepLog(String runId, @Nullable Long runSteps, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity: " + capacity + " must be >= 1");
    }
    this.runId = runId;
    this.runSteps = runSteps;
    this.capacity = capacity;
  }

  public String runId() {
    return runId;
  }

  /** Takes the next event of the ledger; an event of another run is passed over. */
  void add(StepEvent event) {
    if (!event.getRunId().equals(runId)) {
      return;
    }
    policyVersion = Math.max(policyVersion, event.getPolicyVersionAfter());
    skippedSince += event.getSkipped().size();
    deadLetters.add(event);
    if (event.getConfiguration() != null) {
      stalenessBound = StalenessBound.of(event.getConfiguration());
    }
    switch (event.getKind()) {
      case GENESIS -> {
        origin = RunOrigin.of(event);
        previousAt = event.getCommittedAt();
      }
      case STEP, NO_OP -> hold(event);
      default -> {
        return; // nothing to show
      }
    }
    listeners.forEach(Runnable::run);
  }

  private void hold(StepEvent event) {
    groups.add(event);
    if (steps.put(event.getStep(), StepView.of(event, skippedSince, previousAt)) == null) {
      held++;
    }
    previousAt = event.getCommittedAt();
    skippedSince = 0;
    while (held > capacity) {
      steps.pollFirstEntry();
      held--;
    }
  }

  /** At most {@code limit} of the steps held, from step {@code from} on, ascending. */
  public List<StepView> page(long from, int limit) {
    return steps.tailMap(from, true).values().stream().limit(limit).toList();
  }

  /** The steps held from {@code from} to {@code to}, both included, ascending. */
  public List<StepView> between(long from, long to) {
    return from > to ? List.of() : List.copyOf(steps.subMap(from, true, to, true).values());
  }

  /** The newest {@code count} of the steps held, ascending. */
  public List<StepView> newest(int count) {
    List<StepView> newest =
        new ArrayList<>(steps.descendingMap().values().stream().limit(count).toList());
    Collections.reverse(newest);
    return newest;
  }

  /** Steps that the learner is to make; null if nobody knows. */
  public @Nullable Long runSteps() {
    return runSteps;
  }

  /** Where the groups of the newest steps lie. */
  public GroupIndex groups() {
    return groups;
  }

  /** Records that the newest events passed over. */
  public DeadLetterTally deadLetters() {
    return deadLetters;
  }

  /**
   * Largest staleness that the configuration in the ledger allows, policy versions; null if it is
   * not known or, as in a fork, nobody keeps to it.
   */
  public @Nullable Long stalenessBound() {
    RunOrigin known = origin;
    return known == null || known.forkOf() != null ? null : stalenessBound;
  }

  /** Oldest step held; −1 before the first. */
  public long oldestStep() {
    return stepOf(steps.firstEntry());
  }

  /** Newest step; −1 before the first. */
  public long newestStep() {
    return stepOf(steps.lastEntry());
  }

  /** Policy version after the newest event. */
  public long policyVersion() {
    return policyVersion;
  }

  /** How the run began; null until GENESIS has been read. */
  public @Nullable RunOrigin origin() {
    return origin;
  }

  /**
   * Calls {@code listener} after every change, on the reader's thread: it must be quick and must
   * not throw.
   */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  public void removeListener(Runnable listener) {
    listeners.remove(listener);
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

  private static long stepOf(Map.@Nullable Entry<Long, StepView> entry) {
    return entry == null ? -1 : entry.getKey();
  }
}
