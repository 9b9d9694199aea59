package org.p3ostream.learner.runtime;

import java.time.Clock;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
import org.p3ostream.learner.ledger.BehaviorKl;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One window after the other: trained, or passed, and recorded. */
final class WindowStep {
  private static final Logger LOG = LoggerFactory.getLogger(WindowStep.class);

  /** Windows in a row without a group after which the learner ends; a restart goes on. */
  private static final int MAX_EMPTY_WINDOWS = 3;

  private final LedgerState ledger;
  private final WindowTrainer trainer;
  private final AdamW optimizer;
  private final LedgerWriter writer;
  private final WindowSkips skips;
  private final Clock clock;
  private final StageListener stages;
  private final LogprobAudit audit = new LogprobAudit();
  private int emptyWindows; // in a row

  WindowStep(
      LedgerState ledger,
      WindowTrainer trainer,
      AdamW optimizer,
      LedgerWriter writer,
      WindowSkips skips,
      Clock clock,
      StageListener stages) {
    this.ledger = ledger;
    this.trainer = trainer;
    this.optimizer = optimizer;
    this.writer = writer;
    this.skips = skips;
    this.clock = clock;
    this.stages = stages;
  }

  /** Does with a window what is to be done, and commits it. */
  void take(CollectedWindow collected) {
    Window window = collected.window();
    if (skips.contains(window.index())) {
      LOG.warn(
          "skipping window {}: {} groups are not trained", window.index(), window.groups().size());
      writer.skip(window, "--skip-window");
      return;
    }
    if (!window.missingGroups().isEmpty()) {
      LOG.warn(
          "window {} has {} groups, without those that were given up: {}",
          window.index(),
          window.groups().size(),
          window.missingGroups());
    }
    train(collected);
    requireSomeGroups(window);
  }

  private void train(CollectedWindow collected) {
    Window window = collected.window();
    stages.before(Stage.TRAIN);
    TrainedWindow trained = trainer.train(window, ledger.policyVersion(), clock.millis());
    stages.after(Stage.TRAIN);
    writer.timer().trained(trained.prePassMillis(), trained.updateMillis());
    StepMetrics metrics = trained.metrics();
    if (metrics == null) {
      LOG.warn("window {} has no valid token: a recorded no-op", window.index());
      writer.noOp(window);
      return;
    }
    metrics =
        collected.describe(metrics).setRolloutPolicyAgeWindows(rolloutPolicyAge(trained)).build();
    writer.step(window, trained.withMetrics(metrics), optimizer.weights());
    LOG.info(
        "step {} version {} reward {} ess {} kl {} staleness {}..{} lag {} grad norm {}",
        window.index(),
        ledger.policyVersion(),
        metrics.getRewardMean(),
        metrics.getNormalizedEss(),
        BehaviorKl.mean(metrics),
        metrics.getStalenessMin(),
        metrics.getStalenessMax(),
        metrics.getLagWindows(),
        metrics.getGradNorm());
    audit.take(window.index(), metrics);
  }

  /** Mean over the tokens of a window that is not committed yet, windows. */
  private double rolloutPolicyAge(TrainedWindow trained) {
    long tokens = 0;
    double sum = 0;
    for (VersionRatioStatistics version : trained.ratioStatistics()) {
      tokens += version.getTokenCount();
      sum += (double) version.getTokenCount() * ledger.windowsSince(version.getPolicyVersion());
    }
    return sum / tokens;
  }

  /** Else a run whose producers or prompts are at fault would pass its windows to the last. */
  private void requireSomeGroups(Window window) {
    emptyWindows = window.groups().isEmpty() ? emptyWindows + 1 : 0;
    if (emptyWindows == MAX_EMPTY_WINDOWS) {
      throw new IllegalStateException(
          "every group of %d windows in a row was given up, %d to %d: prompts, producers or"
                  .formatted(emptyWindows, window.index() - emptyWindows + 1, window.index())
              + " configuration are at fault. Last rejection: "
              + writer.lastRejection());
    }
  }

  /** What the windows have left behind so far. */
  OptimizerState state() {
    return optimizer.state();
  }

  /** Says what all of it came to. */
  void conclude() {
    audit.conclude();
    skips.conclude(ledger.nextWindow());
  }
}
