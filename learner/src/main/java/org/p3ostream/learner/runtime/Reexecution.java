package org.p3ostream.learner.runtime;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.schemas.avro.StepEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps executed again out of the log, each with the configuration that was in force. The result is
 * the state after the last of them.
 */
final class Reexecution {
  private static final Logger LOG = LoggerFactory.getLogger(Reexecution.class);
  private static final long NOTICE_NANOS = 10_000_000_000L;

  /** What is done with the outcome of a step. */
  interface Observer {

    /**
     * A STEP was executed again.
     *
     * @param weights after the update, [P]
     * @return weights to go on with in the place of these, [P]; null to go on with these
     */
    float @Nullable [] executed(LedgerStep step, TrainedWindow trained, float[] weights);

    /** A NO_OP was passed again: nothing moved. */
    default void passed(LedgerStep step) {}
  }

  private final RunAssets assets;
  private final RolloutSource source;
  private final BehaviorSnapshots snapshots;
  private final Observer observer;
  private final BooleanSupplier stopping;
  private long noticeNanos = System.nanoTime();

  /**
   * @param assets model and places; the recorded configurations are laid over their settings
   * @param source rollouts that the steps were trained on
   * @param snapshots weights that the rollouts were sampled with
   * @param stopping asked before every step
   */
  Reexecution(
      RunAssets assets,
      RolloutSource source,
      BehaviorSnapshots snapshots,
      Observer observer,
      BooleanSupplier stopping) {
    this.assets = assets;
    this.source = source;
    this.snapshots = snapshots;
    this.observer = observer;
    this.stopping = stopping;
  }

  /**
   * Executes the steps.
   *
   * @return the state after the last one; null if asked to stop before
   * @throws LedgerException if the log lacks what a step was trained on
   */
  @Nullable OptimizerState run(OptimizerState start, List<LedgerStep> steps) {
    List<StepEvent> trained =
        steps.stream().filter(LedgerStep::isTrained).map(LedgerStep::event).toList();
    WindowReplay windows = trained.isEmpty() ? null : new WindowReplay(trained, source);
    OptimizerState state = start;
    int done = 0;
    while (done < steps.size()) {
      Stretch stretch = new Stretch(steps, done, windows);
      OptimizerState after = stretch.run(state);
      if (after == null) {
        return null;
      }
      state = after;
      done = stretch.next;
    }
    return state;
  }

  /** Steps of one configuration, as far as they go on with the weights they give. */
  private final class Stretch {
    private final List<LedgerStep> steps;
    private final @Nullable WindowReplay windows;
    private final LedgerStep first;
    private int next;

    Stretch(List<LedgerStep> steps, int from, @Nullable WindowReplay windows) {
      this.steps = steps;
      this.windows = windows;
      this.first = steps.get(from);
      this.next = from;
    }

    @Nullable OptimizerState run(OptimizerState state) {
      try (RunAssets there =
              assets.under(
                  RunDefinition.parse(first.configuration())
                      .settingsOver(assets.settings())
                      .withAudit(new AuditConfig(first.isAudited(), first.hasExactKl())));
          AdamW optimizer = there.optimizer(state);
          WindowTrainer trainer = there.trainer(optimizer, snapshots)) {
        RolloutContract contract = there.contract(snapshots);
        while (next < steps.size() && belongs(steps.get(next))) {
          if (stopping.getAsBoolean()) {
            return null;
          }
          tellProgress();
          LedgerStep step = steps.get(next++);
          float[] others = execute(step, trainer, optimizer, contract);
          if (others != null) {
            OptimizerState own = optimizer.state();
            return new OptimizerState(others, own.firstMoment(), own.secondMoment(), own.updates());
          }
        }
        return optimizer.state();
      }
    }

    private boolean belongs(LedgerStep step) {
      return step.configuration().equals(first.configuration())
          && step.isAudited() == first.isAudited()
          && step.hasExactKl() == first.hasExactKl();
    }

    private float @Nullable [] execute(
        LedgerStep step, WindowTrainer trainer, AdamW optimizer, RolloutContract contract) {
      if (!step.isTrained() || windows == null) {
        observer.passed(step);
        return null;
      }
      StepEvent event = step.event();
      TrainedWindow trained =
          trainer.train(
              windows.next(event, contract),
              event.getPolicyVersionBefore(),
              event.getCommittedAt());
      return observer.executed(step, trained, optimizer.weights());
    }

    private void tellProgress() {
      if (System.nanoTime() - noticeNanos > NOTICE_NANOS) {
        noticeNanos = System.nanoTime();
        LOG.info(
            "executing step {} again, up to step {}",
            steps.get(next).event().getStep(),
            steps.get(steps.size() - 1).event().getStep());
      }
    }
  }
}
