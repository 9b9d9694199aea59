package org.p3ostream.learner.runtime;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.ledger.BehaviorKl;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Window after window: collect, train, commit, checkpoint. */
final class StepLoop {
  private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);

  /** Windows in a row without a group after which the learner ends; a restart goes on. */
  private static final int MAX_EMPTY_WINDOWS = 3;

  private final LearnerSettings settings;
  private final LedgerState ledger;
  private final Intake intake;
  private final WindowTrainer trainer;
  private final AdamW optimizer;
  private final EventComposer composer;
  private final StepCommit commit;
  private final CheckpointKeeper checkpoints;
  private final WindowSkips skips;
  private final Trimmer trimmer;
  private final Clock clock;
  private final StageListener stages;
  private final StepTimer timer = new StepTimer();
  private final WindowCollector collector;
  private final LogprobAudit audit = new LogprobAudit();
  private long checkpointedWindow = -1;
  private int emptyWindows; // in a row

  StepLoop(
      LearnerSettings settings,
      LedgerState ledger,
      Intake intake,
      RolloutSource source,
      WindowTrainer trainer,
      AdamW optimizer,
      EventComposer composer,
      StepCommit commit,
      CheckpointKeeper checkpoints,
      WindowSkips skips,
      Trimmer trimmer,
      Clock clock,
      StageListener stages) {
    this.settings = settings;
    this.ledger = ledger;
    this.intake = intake;
    this.trainer = trainer;
    this.optimizer = optimizer;
    this.composer = composer;
    this.commit = commit;
    this.checkpoints = checkpoints;
    this.skips = skips;
    this.trimmer = trimmer;
    this.clock = clock;
    this.stages = stages;
    this.collector =
        new WindowCollector(settings, ledger, intake, source, composer, timer, this::commit, clock);
  }

  void run(BooleanSupplier stopping) {
    trimmer.repeat();
    while (ledger.nextWindow() < settings.learner().steps()) {
      Window window = collector.next(stopping);
      if (window == null) {
        break;
      }
      if (skips.contains(window.index())) {
        skip(window);
      } else {
        step(window);
      }
      if (ledger.nextWindow() % settings.learner().checkpointEvery() == 0) {
        checkpoint();
      }
      if (trimmer.isDue(ledger.nextWindow())) {
        trim();
      }
    }
    checkpoint();
    audit.conclude();
    skips.conclude(ledger.nextWindow());
    LOG.info(
        "ends after {} steps at version {}, weights {}",
        ledger.nextWindow(),
        ledger.policyVersion(),
        ledger.weightsSha256());
  }

  private void skip(Window window) {
    LOG.warn(
        "skipping window {}: {} groups are not trained", window.index(), window.groups().size());
    commit(composer.skip(ledger, intake, window, "--skip-window", timer.phases()));
  }

  private void step(Window window) {
    stages.before(Stage.TRAIN);
    TrainedWindow trained = trainer.train(window, ledger.policyVersion(), clock.millis());
    stages.after(Stage.TRAIN);
    timer.trained(trained.prePassMillis(), trained.updateMillis());
    StepMetrics metrics = trained.metrics();
    if (!window.missingGroups().isEmpty()) {
      LOG.warn(
          "window {} is trained with {} of {} groups, without {}",
          window.index(),
          window.groups().size(),
          settings.dispatch().groupsPerWindow(),
          window.missingGroups());
    }
    if (metrics == null) {
      LOG.warn("window {} has no valid token: a recorded no-op", window.index());
      commit(composer.noOp(ledger, intake, window, timer.phases()));
      requireSomeGroups(window);
      return;
    }
    long start = System.nanoTime();
    stages.before(Stage.ENCODE);
    byte[] weights = WeightsDigest.toBytes(finite(optimizer.weights(), window));
    timer.encoded(start);
    PreparedEvent prepared =
        composer.step(ledger, intake, window, trained, weights, timer.phases());
    stages.after(Stage.ENCODE);
    commit(prepared);
    LOG.info(
        "step {} version {} reward {} ess {} kl {} staleness {}..{} grad norm {}",
        window.index(),
        ledger.policyVersion(),
        metrics.getRewardMean(),
        metrics.getNormalizedEss(),
        BehaviorKl.mean(metrics),
        metrics.getStalenessMin(),
        metrics.getStalenessMax(),
        metrics.getGradNorm());
    audit.take(window.index(), metrics);
    emptyWindows = 0;
  }

  /** Else a run whose producers or prompts are at fault would pass its windows to the last. */
  private void requireSomeGroups(Window window) {
    emptyWindows = window.groups().isEmpty() ? emptyWindows + 1 : 0;
    if (emptyWindows == MAX_EMPTY_WINDOWS) {
      throw new IllegalStateException(
          "every group of %d windows in a row was given up, %d to %d: prompts, producers or"
                  .formatted(emptyWindows, window.index() - emptyWindows + 1, window.index())
              + " configuration are at fault. Last rejection: "
              + intake.lastRejection());
    }
  }

  private void commit(PreparedEvent prepared) {
    timer.committed(commit.commit(prepared));
    List<SkippedRecord> skipped = prepared.event().getSkipped();
    if (!skipped.isEmpty()) {
      boolean asWished =
          skipped.stream().allMatch(s -> s.getReason() == RejectionReason.ZERO_VARIANCE);
      LOG.atLevel(asWished ? Level.INFO : Level.WARN)
          .log(
              "{} records went to the dead letters while at step {}, last: {}",
              skipped.size(),
              prepared.event().getStep(),
              intake.lastRejection());
    }
  }

  /** After the commit, so that a checkpoint never knows more than the ledger. */
  private void checkpoint() {
    if (checkpointedWindow == ledger.nextWindow()) {
      return;
    }
    long start = System.nanoTime();
    if (checkpoints.save(ledger, optimizer.state())) {
      checkpointedWindow = ledger.nextWindow();
    }
    timer.checkpointed(start);
  }

  /** After the checkpoint, which may have replaced the oldest one. */
  private void trim() {
    Optional<ControlChange> change = trimmer.next(ledger);
    if (change.isPresent()) {
      commit.commit(composer.trim(ledger, change.get(), StepTimer.none()));
      trimmer.delete(change.get());
    }
  }

  static float[] finite(float[] weights, Window window) {
    for (float weight : weights) {
      if (!Float.isFinite(weight)) {
        throw NonFiniteUpdateException.of(window, "a weight became " + weight + ", which");
      }
    }
    return weights;
  }
}
