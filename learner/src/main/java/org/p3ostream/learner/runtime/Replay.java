package org.p3ostream.learner.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointInventory.PassedOver;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.BrokenBatch;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a run executed again out of its log and compared with what was recorded: weights,
 * metrics and ratio statistics bit for bit, durations aside, and the snapshots in the log. It only
 * reads: no topic is created, nobody is fenced, no checkpoint is removed.
 */
public final class Replay {
  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

  private final LearnerSettings settings;
  private final LogReaders readers;
  private volatile boolean stopping;

  /**
   * @param settings which run, model and checkpoints; how it trained is in the ledger
   */
  public Replay(LearnerSettings settings, LogReaders readers) {
    this.settings = settings;
    this.readers = readers;
  }

  /**
   * Executes steps again, from a checkpoint before them or the beginning of the run on.
   *
   * @param from first step; null for the first there is, in a trimmed run for the first after its
   *     oldest checkpoint
   * @param to last step; null for the last there is
   * @param progress told of every step asked for, as it is replayed
   * @throws ConfigurationException if there are no such steps, or the model is another one
   * @throws LedgerException if the ledger is broken or empty
   */
  public ReplayReport run(@Nullable Long from, @Nullable Long to, Consumer<ReplayedStep> progress) {
    TorchRuntime.start(settings.model().threads());
    TorchRuntime.prepareThread();
    long startNanos = System.nanoTime();
    try (RunAssets assets = RunAssets.loadModel(settings)) {
      CheckpointStore checkpoints =
          new CheckpointStore(
              Path.of(settings.learner().checkpointDirectory()),
              assets.model().layout(),
              settings.learner().checkpointsKept());
      RunLog own =
          new RunLog(
              readers, new TopicCatalogue(settings.run().topicPrefix()), settings.run().id());
      ReplayLedger ledger = read(own, checkpoints, from, to);
      for (PassedOver other : ledger.passedOver()) {
        LOG.warn("checkpoint {} passed over: {}", other.path(), other.reason());
      }
      assets.requireModelOf(ledger.definition());
      Run run = new Run(ledger, assets.snapshotSearch(own), progress);
      String failure = run.execute(assets, checkpoints);
      return new ReplayReport(
          ledger.from(),
          ledger.to(),
          run.where(),
          ledger.steps().stream().filter(s -> s.event().getStep() < ledger.from()).count(),
          run.steps,
          ledger.passedOver(),
          failure,
          (System.nanoTime() - startNanos) / 1_000_000);
    }
  }

  /** What a run let go of is needed no more from its oldest checkpoint on. */
  private ReplayLedger read(
      RunLog log, CheckpointStore checkpoints, @Nullable Long from, @Nullable Long to) {
    ReplayLedger ledger = new ReplayLedger(state(), checkpoints, from, to);
    ledger.read(log);
    Long oldest = ledger.oldestCheckpointStep();
    if (from != null || !ledger.isTrimmed() || oldest == null || oldest >= ledger.to()) {
      return ledger;
    }
    ReplayLedger kept = new ReplayLedger(state(), checkpoints, oldest + 1, to);
    kept.read(log);
    return kept;
  }

  private LedgerState state() {
    return new LedgerState(settings.run().id(), settings.dispatch().groupsPerWindow());
  }

  /** Asks it to end after the step it is in. Safe from any thread. */
  public void stop() {
    stopping = true;
  }

  /** One pass over the steps. */
  private final class Run implements Reexecution.Observer {
    private final ReplayLedger ledger;
    private final SnapshotSearch snapshots;
    private final Consumer<ReplayedStep> progress;
    private final List<ReplayedStep> steps = new ArrayList<>();
    private String weightsSha256;

    Run(ReplayLedger ledger, SnapshotSearch snapshots, Consumer<ReplayedStep> progress) {
      this.ledger = ledger;
      this.snapshots = snapshots;
      this.progress = progress;
      this.weightsSha256 = ledger.genesis().getWeightsSha256();
    }

    String where() {
      Checkpoint start = ledger.start();
      return start == null ? "GENESIS" : "the checkpoint after step " + start.step();
    }

    /** Executes all steps; gives the reason if it ends before. */
    @Nullable String execute(RunAssets assets, CheckpointStore checkpoints) {
      try {
        Beginning beginning = new Beginning(assets, readers, () -> stopping);
        Checkpoint from = ledger.start();
        OptimizerState start =
            from == null ? beginning.of(ledger.genesis(), checkpoints) : checkpoints.load(from);
        if (start == null) {
          return "asked to stop";
        }
        weightsSha256 = from == null ? weightsSha256 : from.weightsSha256();
        RunLog data = beginning.log(ledger.genesis());
        Reexecution reexecution =
            new Reexecution(assets, data.rollouts(), assets.snapshots(data), this, () -> stopping);
        return reexecution.run(start, ledger.steps()) == null ? "asked to stop" : null;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (LedgerException | NonFiniteUpdateException e) {
        return e.getMessage();
      } catch (KafkaException e) {
        String broken = BrokenBatch.in(e);
        if (broken == null) {
          throw e;
        }
        return broken;
      }
    }

    @Override
    public float @Nullable [] executed(LedgerStep step, TrainedWindow trained, float[] weights) {
      StepEvent event = step.event();
      weightsSha256 = WeightsDigest.sha256(WeightsDigest.toBytes(weights));
      List<Difference> differences =
          new ArrayList<>(
              event.getStep() < ledger.from()
                  ? weightDifference(event)
                  : StepComparison.differences(event, trained, weightsSha256));
      if (event.getStep() >= ledger.from()) {
        addSnapshotDifference(event, differences);
      }
      add(step, differences);
      return null;
    }

    @Override
    public void passed(LedgerStep step) {
      add(step, weightDifference(step.event()));
    }

    private List<Difference> weightDifference(StepEvent event) {
      return event.getWeightsSha256().equals(weightsSha256)
          ? List.of()
          : List.of(new Difference("weightsSha256", event.getWeightsSha256(), weightsSha256));
    }

    private void addSnapshotDifference(StepEvent event, List<Difference> differences) {
      long version = event.getPolicyVersionAfter();
      String found;
      try {
        found = WeightsDigest.sha256(WeightsDigest.toBytes(snapshots.find(version)));
      } catch (BehaviorSnapshotMissingException e) {
        if (ledger.isTrimmed() && !e.isDamaged()) {
          return;
        }
        found = e.reason();
      }
      if (!found.equals(event.getWeightsSha256())) {
        differences.add(
            new Difference("snapshot of version " + version, event.getWeightsSha256(), found));
      }
    }

    private void add(LedgerStep step, List<Difference> differences) {
      StepEvent event = step.event();
      boolean asked = event.getStep() >= ledger.from();
      if (!asked && differences.isEmpty()) {
        return;
      }
      ReplayedStep replayed =
          new ReplayedStep(
              event.getStep(),
              step.isTrained(),
              event.getPolicyVersionAfter(),
              weightsSha256,
              differences);
      steps.add(replayed);
      progress.accept(replayed);
    }
  }
}
