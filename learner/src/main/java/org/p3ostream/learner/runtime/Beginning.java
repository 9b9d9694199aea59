package org.p3ostream.learner.runtime;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** What a run begins with: version 0, or what another run had after the step it was forked at. */
final class Beginning {
  private final RunAssets assets;
  private final LogReaders readers;
  private final BooleanSupplier stopping;

  Beginning(RunAssets assets, LogReaders readers, BooleanSupplier stopping) {
    this.assets = assets;
    this.readers = readers;
    this.stopping = stopping;
  }

  /**
   * The state that a run was opened with.
   *
   * @param genesis its first event
   * @param checkpoints of the run that it was forked from, if it was
   * @return null if asked to stop before it was computed
   */
  @Nullable OptimizerState of(StepEvent genesis, CheckpointStore checkpoints) {
    ForkOrigin origin = genesis.getForkOf();
    return origin == null
        ? OptimizerState.initial(assets.initialWeights())
        : of(origin, checkpoints);
  }

  /** The state that a fork begins with. */
  @Nullable OptimizerState of(ForkOrigin origin, CheckpointStore checkpoints) {
    return after(log(origin), origin.getStep(), origin.getEventHash(), checkpoints);
  }

  /**
   * The log in which the rollouts and behaviour snapshots of a run lie: its own, or its origin's.
   */
  RunLog log(StepEvent genesis) {
    ForkOrigin origin = genesis.getForkOf();
    return origin == null
        ? new RunLog(
            readers, new TopicCatalogue(assets.settings().run().topicPrefix()), genesis.getRunId())
        : log(origin);
  }

  private RunLog log(ForkOrigin origin) {
    return new RunLog(readers, new TopicCatalogue(origin.getTopicPrefix()), origin.getRunId());
  }

  /**
   * The state of a run after one of its steps.
   *
   * @param eventHash of the event of that step
   * @throws LedgerException if its ledger does not hold that event, or a step gives other weights
   */
  private @Nullable OptimizerState after(
      RunLog log, long step, String eventHash, CheckpointStore checkpoints) {
    LedgerState ledger =
        new LedgerState(log.runId(), assets.settings().dispatch().groupsPerWindow());
    Recovery recovery = new Recovery(checkpoints, log.runId(), step);
    boolean[] found = new boolean[1];
    recovery.read(log.ledger(), ledger, (event, hash) -> found[0] |= hash.equals(eventHash));
    if (!found[0]) {
      throw new LedgerException(
          "run '%s' at '%s' has no event %s of step %d to begin with"
              .formatted(log.runId(), log.topics().prefix(), eventHash, step));
    }
    BehaviorSnapshots snapshots = assets.snapshots(log);
    return recovery.recover(
        () -> OptimizerState.initial(assets.initialWeights()),
        assets,
        log.rollouts(),
        snapshots,
        new WeightCheck(
            RecoveryConfig.defaults(),
            snapshots::of,
            ledger.genesis().getEnvironment(),
            RunEnvironment.of(assets.settings())),
        stopping);
  }
}
