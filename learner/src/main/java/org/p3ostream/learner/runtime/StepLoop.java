package org.p3ostream.learner.runtime;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.schemas.avro.ControlChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Window after window: collect, train and commit, checkpoint, trim. */
final class StepLoop {
  private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);

  private final LearnerConfig config;
  private final LedgerState ledger;
  private final WindowCollector collector;
  private final WindowStep step;
  private final LedgerWriter writer;
  private final CheckpointKeeper checkpoints;
  private final Trimmer trimmer;
  private long checkpointedWindow = -1;

  StepLoop(
      LearnerConfig config,
      LedgerState ledger,
      WindowCollector collector,
      WindowStep step,
      LedgerWriter writer,
      CheckpointKeeper checkpoints,
      Trimmer trimmer) {
    this.config = config;
    this.ledger = ledger;
    this.collector = collector;
    this.step = step;
    this.writer = writer;
    this.checkpoints = checkpoints;
    this.trimmer = trimmer;
  }

  void run(BooleanSupplier stopping) {
    trimmer.repeat();
    while (ledger.nextWindow() < config.steps()) {
      CollectedWindow window = collector.next(stopping);
      if (window == null) {
        break;
      }
      step.take(window);
      if (ledger.nextWindow() % config.checkpointEvery() == 0) {
        checkpoint();
      }
      if (trimmer.isDue(ledger.nextWindow())) {
        trim();
      }
    }
    checkpoint();
    step.conclude();
    LOG.info(
        "ends after {} steps at version {}, weights {}",
        ledger.nextWindow(),
        ledger.policyVersion(),
        ledger.weightsSha256());
  }

  /** After the commit, so that a checkpoint never knows more than the ledger. */
  private void checkpoint() {
    if (checkpointedWindow == ledger.nextWindow()) {
      return;
    }
    long start = System.nanoTime();
    if (checkpoints.save(ledger, step.state())) {
      checkpointedWindow = ledger.nextWindow();
    }
    writer.timer().checkpointed(start);
  }

  /** After the checkpoint, which may have replaced the oldest one. */
  private void trim() {
    Optional<ControlChange> change = trimmer.next(ledger);
    if (change.isPresent()) {
      writer.trim(change.get());
      trimmer.delete(change.get());
    }
  }
}
