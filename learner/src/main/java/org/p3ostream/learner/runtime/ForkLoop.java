package org.p3ostream.learner.runtime;

import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.p3ostream.learner.commit.ForkComposer;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Window after window of another run: train, commit, checkpoint. */
final class ForkLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ForkLoop.class);

  private final LearnerSettings settings;
  private final LedgerState ledger;
  private final ForkComposer composer;
  private final StepCommitter committer;
  private final CheckpointKeeper checkpoints;
  private final Clock clock;
  private final StepTimer timer = new StepTimer();

  ForkLoop(
      LearnerSettings settings,
      LedgerState ledger,
      ForkComposer composer,
      StepCommitter committer,
      CheckpointKeeper checkpoints,
      Clock clock) {
    this.settings = settings;
    this.ledger = ledger;
    this.composer = composer;
    this.committer = committer;
    this.checkpoints = checkpoints;
    this.clock = clock;
  }

  /**
   * Trains the windows.
   *
   * @param other log that the windows lie in
   * @param windows the other run's events of them
   * @throws LedgerException if the log lacks one, or the fork's settings refuse it
   */
  void run(
      RunAssets assets,
      OptimizerState state,
      RunLog other,
      List<StepEvent> windows,
      BooleanSupplier stopping) {
    List<StepEvent> trained =
        windows.stream().filter(event -> event.getKind() == StepKind.STEP).toList();
    if (windows.isEmpty()) {
      return;
    }
    BehaviorSnapshots snapshots = assets.snapshots(other);
    RolloutContract contract = assets.contract(snapshots);
    WindowReplay replay = new WindowReplay(trained, other.rollouts());
    try (AdamW optimizer = assets.optimizer(state);
        WindowTrainer trainer = assets.trainer(optimizer, snapshots)) {
      for (StepEvent source : windows) {
        if (stopping.getAsBoolean()) {
          break;
        }
        if (source.getKind() == StepKind.STEP) {
          step(source, replay.next(source, contract), trainer, optimizer);
        } else {
          commit(composer.pass(ledger, source, timer.phases()));
        }
        if (ledger.nextWindow() % settings.learner().checkpointEvery() == 0) {
          checkpoint(optimizer);
        }
      }
      checkpoint(optimizer);
    }
  }

  private void step(StepEvent source, Window window, WindowTrainer trainer, AdamW optimizer) {
    TrainedWindow result = trainer.train(window, ledger.policyVersion(), clock.millis());
    timer.trained(result.prePassMillis(), result.updateMillis());
    StepMetrics metrics = result.metrics();
    if (metrics == null) {
      commit(composer.pass(ledger, source, timer.phases()));
      return;
    }
    long start = System.nanoTime();
    byte[] weights =
        WeightsDigest.toBytes(NonFiniteUpdateException.requireFinite(optimizer.weights(), window));
    timer.encoded(start);
    commit(composer.step(ledger, source, result, weights, timer.phases()));
    LOG.info(
        "step {} version {} reward {} ess {} staleness {}..{} grad norm {}",
        window.index(),
        ledger.policyVersion(),
        metrics.getRewardMean(),
        metrics.getNormalizedEss(),
        metrics.getStalenessMin(),
        metrics.getStalenessMax(),
        metrics.getGradNorm());
  }

  private void commit(PreparedEvent prepared) {
    double millis = committer.commit(prepared).millis();
    ledger.apply(prepared.event(), prepared.eventHash());
    timer.committed(millis);
  }

  private void checkpoint(AdamW optimizer) {
    long start = System.nanoTime();
    checkpoints.save(ledger, optimizer.state());
    timer.checkpointed(start);
  }
}
