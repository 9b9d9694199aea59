package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointInventory;
import org.p3ostream.learner.checkpoint.CheckpointInventory.PassedOver;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepEvent;

/** A ledger read for a replay: where it starts, and the steps to execute. */
final class ReplayLedger {
  private final LedgerState state;
  private final CheckpointStore store;
  private final CheckpointInventory checkpoints;
  private final @Nullable Long wantedFrom;
  private final @Nullable Long wantedTo;
  private @Nullable LedgerTail tail;
  private boolean trimmed;

  /**
   * @param wantedFrom first step; null for the first there is
   * @param wantedTo last step; null for the last there is
   */
  ReplayLedger(
      LedgerState state,
      CheckpointStore store,
      @Nullable Long wantedFrom,
      @Nullable Long wantedTo) {
    this.state = state;
    this.store = store;
    this.wantedFrom = wantedFrom;
    this.wantedTo = wantedTo;
    this.checkpoints = store.inspect(state.runId());
  }

  /**
   * Reads all of it.
   *
   * @throws ConfigurationException if it has no such steps
   * @throws LedgerException if it is broken or empty
   */
  void read(RunLog log) {
    log.ledger()
        .readAll(
            (event, hash) -> {
              state.apply(event, hash);
              tail().take(event, hash, state);
              ControlChange control = event.getControl();
              trimmed |= control != null && control.getKind() == ControlKind.TRIM;
            });
    if (state.isEmpty()) {
      throw new LedgerException(log.topics().steps().name() + " holds no run yet");
    }
    require(from() >= first(), "--from", from(), "the run begins with step " + first());
    require(from() <= to(), "--from", from(), "is after --to " + to());
    require(to() < state.nextWindow(), "--to", to(), "the run ends with step " + last());
    tail().complete(log.ledger()::readAll);
  }

  private static void require(boolean holds, String option, long value, String rule) {
    if (!holds) {
      throw new ConfigurationException(option + ": " + value + ": " + rule);
    }
  }

  private LedgerTail tail() {
    if (tail == null) { // the first step is known from GENESIS on
      tail =
          new LedgerTail(
              checkpoints.usable(), from() - 1, wantedTo == null ? Long.MAX_VALUE : wantedTo);
    }
    return tail;
  }

  private long first() {
    return state.genesis().getStep() + 1;
  }

  private long last() {
    return state.nextWindow() - 1;
  }

  /** Step of the oldest checkpoint that the ledger bears out; null without one. */
  @Nullable Long oldestCheckpointStep() {
    List<Checkpoint> fitting = tail().fitting();
    return fitting.isEmpty() ? null : fitting.get(0).step();
  }

  /** The configuration in force at the end. */
  RunDefinition definition() {
    return state.definition();
  }

  StepEvent genesis() {
    return state.genesis();
  }

  long from() {
    return wantedFrom == null ? first() : wantedFrom;
  }

  long to() {
    return wantedTo == null ? last() : wantedTo;
  }

  @Nullable Checkpoint start() {
    return tail().start();
  }

  List<LedgerStep> steps() {
    return tail().steps();
  }

  /** Whether the oldest records may be gone because the run let them go. */
  boolean isTrimmed() {
    return trimmed;
  }

  List<PassedOver> passedOver() {
    List<PassedOver> all = new ArrayList<>(checkpoints.passedOver());
    for (LedgerTail.Misfit misfit : tail().misfits()) {
      all.add(
          new PassedOver(store.path(misfit.checkpoint()), misfit.reason(), misfit.contradicts()));
    }
    return all;
  }
}
