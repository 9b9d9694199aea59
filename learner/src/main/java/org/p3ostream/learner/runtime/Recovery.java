package org.p3ostream.learner.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a learner to the end of its ledger: the newest checkpoint whose event the ledger holds, or
 * version 0, then every later step executed again out of the log, its weights compared with the
 * digest that was recorded.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final CheckpointStore checkpoints;
  private final Map<String, Checkpoint> byEvent = new HashMap<>();
  private final List<StepEvent> tail = new ArrayList<>();
  private @Nullable Checkpoint start;

  Recovery(CheckpointStore checkpoints, String runId) {
    this.checkpoints = checkpoints;
    for (Checkpoint checkpoint : checkpoints.usable(runId)) {
      byEvent.put(checkpoint.eventHash(), checkpoint);
    }
  }

  /** Folds the ledger into {@code state}, remembering where to start from. */
  void read(LedgerReader reader, LedgerState state) {
    reader.readAll(
        (event, eventHash) -> {
          state.apply(event, eventHash);
          if (event.getKind() == StepKind.STEP) {
            tail.add(event);
          }
          Checkpoint checkpoint = byEvent.get(eventHash);
          if (checkpoint != null) {
            start = checkpoint;
            tail.clear();
          }
        });
  }

  /** State to start from: a checkpoint's, or version 0. */
  OptimizerState startingState(float[] initialWeights) {
    Checkpoint from = start;
    if (from == null) {
      return OptimizerState.initial(initialWeights);
    }
    LOG.info("starting from the checkpoint after step {}", from.step());
    try {
      return checkpoints.load(from);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Executes the steps after the starting state again.
   *
   * @return false if asked to stop before the end of the ledger was reached
   * @throws LedgerException if a step does not give the recorded weights
   */
  boolean reexecute(
      WindowTrainer trainer,
      AdamW optimizer,
      RolloutSource source,
      RolloutContract contract,
      BooleanSupplier stopping) {
    if (tail.isEmpty()) {
      return true;
    }
    long startNanos = System.nanoTime();
    WindowReplay replay = new WindowReplay(tail, source, contract);
    for (StepEvent event : tail) {
      if (stopping.getAsBoolean()) {
        return false;
      }
      trainer.train(replay.next(event), event.getPolicyVersionBefore(), event.getCommittedAt());
      String found = WeightsDigest.sha256(WeightsDigest.toBytes(optimizer.weights()));
      if (!found.equals(event.getWeightsSha256())) {
        throw new LedgerException(
            "step %d executed again gives weights %s, the ledger says %s"
                .formatted(event.getStep(), found, event.getWeightsSha256()));
      }
    }
    LOG.info(
        "executed {} steps again in {} ms, every weight digest as recorded",
        tail.size(),
        (System.nanoTime() - startNanos) / 1_000_000);
    return true;
  }
}
