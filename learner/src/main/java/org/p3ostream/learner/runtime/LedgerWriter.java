package org.p3ostream.learner.runtime;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
import org.p3ostream.learner.dispatch.TopUps;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.Rejection;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Records what a learner does with what it takes in: composes the event of it, commits, and says
 * what went to the dead letters on the way.
 */
final class LedgerWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerWriter.class);

  /** Nothing is wrong with these: the run was asked to do without them. */
  private static final Set<RejectionReason> AS_WISHED =
      EnumSet.of(RejectionReason.ZERO_VARIANCE, RejectionReason.STALE);

  private final LedgerState ledger;
  private final Intake intake;
  private final EventComposer composer;
  private final StepCommit commit;
  private final StageListener stages;
  private final LearnerObserver observer;
  private final StepTimer timer;

  LedgerWriter(
      LedgerState ledger,
      Intake intake,
      EventComposer composer,
      StepCommit commit,
      StageListener stages,
      LearnerObserver observer) {
    this.ledger = ledger;
    this.intake = intake;
    this.composer = composer;
    this.commit = commit;
    this.stages = stages;
    this.observer = observer;
    this.timer = new StepTimer(observer);
  }

  /** Where the time goes; what it was told is recorded with the next event. */
  StepTimer timer() {
    return timer;
  }

  /** The newest rejection, for messages. */
  String lastRejection() {
    Rejection last = intake.lastRejection();
    return last == null ? "none" : last.toString();
  }

  /**
   * A trained window.
   *
   * @param weights weights after the update, [P]
   * @throws NonFiniteUpdateException if a weight is not finite; nothing is recorded
   */
  void step(Window window, TrainedWindow trained, float[] weights) {
    long start = System.nanoTime();
    stages.before(Stage.ENCODE);
    byte[] bytes = WeightsDigest.toBytes(NonFiniteUpdateException.requireFinite(weights, window));
    timer.encoded(start);
    PreparedEvent prepared = composer.step(ledger, intake, window, trained, bytes, timer.phases());
    stages.after(Stage.ENCODE);
    commit(prepared);
  }

  /** A window without a valid token. */
  void noOp(Window window) {
    commit(composer.noOp(ledger, intake, window, timer.phases()));
  }

  /** A window that an operator wants passed. */
  void skip(Window window, String reason) {
    commit(composer.skip(ledger, intake, window, reason, timer.phases()));
  }

  /** Rejections, progress, and what becomes of groups that did not come. */
  void interim(TopUps.Plan plan) {
    commit(composer.interim(ledger, intake, plan, timer.phases()));
  }

  /** What may be deleted from now on. */
  void trim(ControlChange change) {
    PreparedEvent prepared = composer.trim(ledger, change, StepTimer.none());
    commit.commit(prepared);
    observer.committed(prepared.event());
  }

  private void commit(PreparedEvent prepared) {
    timer.committed(commit.commit(prepared));
    observer.committed(prepared.event());
    List<SkippedRecord> skipped = prepared.event().getSkipped();
    if (!skipped.isEmpty()) {
      boolean asWished = skipped.stream().allMatch(s -> AS_WISHED.contains(s.getReason()));
      LOG.atLevel(asWished ? Level.INFO : Level.WARN)
          .log(
              "{} records went to the dead letters while at step {}, last: {}",
              skipped.size(),
              prepared.event().getStep(),
              lastRejection());
    }
  }
}
