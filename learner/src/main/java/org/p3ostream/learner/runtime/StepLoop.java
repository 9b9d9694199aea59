package org.p3ostream.learner.runtime;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.dispatch.DispatchBook;
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

  /** A group rejected so often will not get better by asking again. */
  private static final int MAX_ATTEMPTS = 10;

  private static final long WAIT_NOTICE_MS = 10_000;

  /** How long the broker may be away before the learner ends; a restart continues. */
  private static final long OUTAGE_DEADLINE_MS = 120_000;

  private final LearnerSettings settings;
  private final LedgerState ledger;
  private final Intake intake;
  private final RolloutSource source;
  private final WindowTrainer trainer;
  private final AdamW optimizer;
  private final EventComposer composer;
  private final StepCommitter committer;
  private final CheckpointStore checkpoints;
  private final Trimmer trimmer;
  private final Clock clock;
  private final StepTimer timer = new StepTimer();
  private final LogprobAudit audit = new LogprobAudit();
  private long checkpointedWindow = -1;
  private final BrokerSilence silence;

  StepLoop(
      LearnerSettings settings,
      LedgerState ledger,
      Intake intake,
      RolloutSource source,
      WindowTrainer trainer,
      AdamW optimizer,
      EventComposer composer,
      StepCommitter committer,
      CheckpointStore checkpoints,
      Trimmer trimmer,
      Clock clock) {
    this.settings = settings;
    this.ledger = ledger;
    this.intake = intake;
    this.source = source;
    this.trainer = trainer;
    this.optimizer = optimizer;
    this.composer = composer;
    this.committer = committer;
    this.checkpoints = checkpoints;
    this.trimmer = trimmer;
    this.clock = clock;
    this.silence = new BrokerSilence(OUTAGE_DEADLINE_MS, clock.millis());
  }

  void run(BooleanSupplier stopping) {
    trimmer.repeat();
    while (ledger.nextWindow() < settings.learner().steps()) {
      Window window = await(stopping);
      if (window == null) {
        break;
      }
      step(window);
      if (ledger.nextWindow() % settings.learner().checkpointEvery() == 0) {
        checkpoint();
      }
      if (trimmer.isDue(ledger.nextWindow())) {
        trim();
      }
    }
    checkpoint();
    audit.conclude();
    LOG.info(
        "ends after {} steps at version {}, weights {}",
        ledger.nextWindow(),
        ledger.policyVersion(),
        ledger.weightsSha256());
  }

  /** The next window once it is complete; null if asked to stop first. */
  private @Nullable Window await(BooleanSupplier stopping) {
    long start = System.nanoTime();
    long lastNotice = clock.millis();
    while (!intake.isComplete(ledger.nextWindow())) {
      if (stopping.getAsBoolean()) {
        return null;
      }
      source.pollInto(intake, ledger.policyVersion());
      if (intake.replacementDue() || intake.isFull()) {
        interim();
      }
      if (clock.millis() - lastNotice > WAIT_NOTICE_MS) {
        lastNotice = clock.millis();
        LOG.info(
            "waiting for window {}: {} of {} groups are here",
            ledger.nextWindow(),
            intake.admittedGroups(ledger.nextWindow()),
            settings.dispatch().groupsPerWindow());
        requireBroker();
      }
    }
    timer.waited(start);
    return intake.take(ledger.nextWindow());
  }

  private void interim() {
    for (long groupId : intake.replacementsDue()) {
      DispatchBook.Dispatched open = ledger.dispatched().find(groupId);
      if (open != null && open.attempt() + 1 >= MAX_ATTEMPTS) {
        throw new IllegalStateException(
            "group %d was rejected %d times, last: %s"
                .formatted(groupId, MAX_ATTEMPTS, intake.lastRejection()));
      }
    }
    commit(composer.interim(ledger, intake, timer.phases()));
  }

  private void requireBroker() {
    try {
      source.probe();
      silence.answered(clock.millis());
    } catch (TimeoutException e) {
      LOG.warn(
          "the broker has not answered for {} s", silence.unanswered(clock.millis(), e) / 1000);
    }
  }

  private void step(Window window) {
    TrainedWindow trained = trainer.train(window, ledger.policyVersion(), clock.millis());
    timer.trained(trained.prePassMillis(), trained.updateMillis());
    StepMetrics metrics = trained.metrics();
    if (metrics == null) {
      LOG.warn("window {} has no valid token: a recorded no-op", window.index());
      commit(composer.noOp(ledger, intake, window, timer.phases()));
      return;
    }
    long start = System.nanoTime();
    byte[] weights = WeightsDigest.toBytes(finite(optimizer.weights(), window));
    timer.encoded(start);
    commit(composer.step(ledger, intake, window, trained, weights, timer.phases()));
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
  }

  private void commit(PreparedEvent prepared) {
    double millis = committer.commit(prepared);
    ledger.apply(prepared.event(), prepared.eventHash());
    timer.committed(millis);
    silence.answered(clock.millis());
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
    try {
      checkpoints.save(
          settings.run().id(),
          ledger.nextWindow() - 1,
          ledger.lastEventHash(),
          ledger.policyVersion(),
          optimizer.state());
      checkpointedWindow = ledger.nextWindow();
    } catch (IOException e) { // the log holds the run; a checkpoint only shortens a restart
      LOG.error("no checkpoint after step {}: {}", ledger.nextWindow() - 1, e.toString());
    }
    timer.checkpointed(start);
  }

  /** After the checkpoint, which may have replaced the oldest one. */
  private void trim() {
    Optional<ControlChange> change = trimmer.next(ledger);
    if (change.isPresent()) {
      PreparedEvent prepared = composer.control(ledger, change.get(), StepTimer.none());
      committer.commit(prepared);
      ledger.apply(prepared.event(), prepared.eventHash());
      trimmer.delete(change.get());
    }
  }

  private static float[] finite(float[] weights, Window window) {
    for (float weight : weights) {
      if (!Float.isFinite(weight)) {
        throw new NonFiniteUpdateException(
            "window " + window.index() + ": a weight became " + weight + "; nothing was published");
      }
    }
    return weights;
  }
}
