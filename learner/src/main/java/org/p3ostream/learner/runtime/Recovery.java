package org.p3ostream.learner.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.TrainedWindow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a learner to the end of its ledger: the newest checkpoint whose event the ledger holds, or
 * the beginning of the run, then every later step executed again out of the log, its weights
 * compared with the digest that was recorded.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final CheckpointStore checkpoints;
  private final LedgerTail tail;

  /** To the end of the ledger. */
  Recovery(CheckpointStore checkpoints, String runId) {
    this(checkpoints, runId, Long.MAX_VALUE);
  }

  /**
   * @param lastStep where to end
   */
  Recovery(CheckpointStore checkpoints, String runId, long lastStep) {
    this.checkpoints = checkpoints;
    this.tail = new LedgerTail(checkpoints.usable(runId), lastStep, lastStep);
  }

  /**
   * Folds the ledger into {@code state}, remembering where to start from, and tells the store which
   * checkpoints are those of this ledger.
   */
  void read(LedgerReader reader, LedgerState state) {
    read(reader, state, (event, eventHash) -> {});
  }

  /**
   * The same.
   *
   * @param sink told of every event once it is in the state
   */
  void read(LedgerReader reader, LedgerState state, LedgerReader.Sink sink) {
    reader.readAll(
        (event, eventHash) -> {
          state.apply(event, eventHash);
          tail.take(event, eventHash, state);
          sink.event(event, eventHash);
        });
    tail.complete(reader::readAll);
    checkpoints.adopt(tail.fitting());
    for (LedgerTail.Misfit misfit : tail.misfits()) {
      LOG.warn(
          "checkpoint {} passed over: {}", checkpoints.path(misfit.checkpoint()), misfit.reason());
    }
  }

  /**
   * The state after the last step of the ledger.
   *
   * @param beginning state that GENESIS begins with
   * @return null if asked to stop before the end of the ledger was reached
   * @throws LedgerException if a step does not give the recorded weights
   */
  @Nullable OptimizerState recover(
      Supplier<@Nullable OptimizerState> beginning,
      RunAssets assets,
      RolloutSource source,
      BehaviorSnapshots snapshots,
      WeightCheck check,
      BooleanSupplier stopping) {
    Checkpoint from = tail.start();
    OptimizerState start = from == null ? beginning.get() : load(from);
    if (start == null) {
      return null;
    }
    String where = from == null ? "GENESIS" : "the checkpoint after step " + from.step();
    long steps = tail.steps().stream().filter(LedgerStep::isTrained).count();
    if (steps == 0) {
      if (from != null) {
        LOG.info("starting from {}: no step has to be executed again", where);
      }
      return start;
    }
    LOG.info("starting from {}: {} steps have to be executed again", where, steps);
    long startNanos = System.nanoTime();
    Reexecution.Observer observer =
        (LedgerStep step, TrainedWindow trained, float[] weights) ->
            check.adopted(step.event(), weights);
    OptimizerState end =
        new Reexecution(assets, source, snapshots, observer, stopping).run(start, tail.steps());
    if (end != null) {
      LOG.info(
          "executed {} steps again in {} ms from {}, {}",
          steps,
          (System.nanoTime() - startNanos) / 1_000_000,
          where,
          check.summary());
    }
    return end;
  }

  private OptimizerState load(Checkpoint checkpoint) {
    try {
      return checkpoints.load(checkpoint);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
