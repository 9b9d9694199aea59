package org.p3ostream.learner.runtime;

import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.EventHeader;
import org.p3ostream.learner.commit.EventRecords;
import org.p3ostream.learner.commit.FencedException;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.trim.TrimBook;
import org.p3ostream.learner.window.HoldBack;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One learner process: fence, read the ledger, recover, then window after window until the last
 * step.
 */
public final class Learner {
  private static final Logger LOG = LoggerFactory.getLogger(Learner.class);

  private final LearnerSettings settings;
  private final LearnerClients clients;
  private final Clock clock;
  private final StageListener stages;
  private final TopicCatalogue topics;
  private boolean configurationChangeAccepted;
  private WindowSkips skips = new WindowSkips(List.of());
  private LearnerObserver observer = LearnerObserver.NONE;
  private volatile boolean stopping;

  public Learner(LearnerSettings settings, LearnerClients clients, Clock clock) {
    this(settings, clients, clock, StageListener.NONE);
  }

  /**
   * @param stages told of every stage of the work
   */
  public Learner(
      LearnerSettings settings, LearnerClients clients, Clock clock, StageListener stages) {
    this.settings = settings;
    this.clients = clients;
    this.clock = clock;
    this.stages = stages;
    this.topics = new TopicCatalogue(settings.run().topicPrefix());
  }

  /** Passes these windows instead of training them. To be called before {@link #run()}. */
  public Learner skipWindows(Collection<Long> windows) {
    skips = new WindowSkips(windows);
    return this;
  }

  /**
   * Lets the run go on with a configuration other than the one in force, which is then recorded. To
   * be called before {@link #run()}.
   */
  public Learner acceptConfigurationChange(boolean accepted) {
    configurationChangeAccepted = accepted;
    return this;
  }

  /** Lets somebody see what it does. To be called before {@link #run()}. */
  public Learner observedBy(LearnerObserver other) {
    observer = other;
    return this;
  }

  /**
   * Runs until the configured number of steps is committed or {@link #stop()} is called. Writes a
   * checkpoint at the end.
   *
   * @throws FencedException if another learner took over
   * @throws LedgerException if the topics hold another run or a broken one
   * @throws ConfigurationException if the run is of another configuration, and the change was not
   *     accepted or cannot be made; if a window to be skipped is settled
   */
  public void run() {
    TorchRuntime.start(settings.model().threads());
    TorchRuntime.prepareThread();
    try (RunAssets assets = RunAssets.load(settings)) {
      new TopicProvisioner(clients.admin(), settings.learner().topicReplication())
          .provision(topics);
      clients.subjects().provision(RecordTypes.schemas());
      StepCommitter committer =
          new StepCommitter(clients.producer(), clients.rollouts().groupMetadata(), stages);
      committer.initialize(); // fences the zombie before the ledger is read

      RunDefinition definition = assets.definition();
      LedgerState ledger =
          new LedgerState(settings.run().id(), settings.dispatch().groupsPerWindow());
      TrimBook trimBook = new TrimBook(topics.rollouts().name());
      if (settings.trimming().enabled()) {
        ledger.tell(trimBook::add);
      }
      CheckpointStore checkpoints =
          new CheckpointStore(
              Path.of(settings.learner().checkpointDirectory()),
              assets.model().layout(),
              settings.learner().checkpointsKept(),
              stages);
      checkpoints.removeUnfinished();
      RunLog log = new RunLog(clients.readers(), topics, settings.run().id());
      Recovery recovery = new Recovery(checkpoints, log.runId());
      recovery.read(log.ledger(), ledger);
      ManifestOffsets manifests = new ManifestOffsets(assets.snapshotSearch(log)::findManifest);
      EventComposer composer = composer(assets, definition, manifests, ledger.learnerEpoch() + 1);
      StepCommit commit = new StepCommit(committer, ledger, manifests, topics.snapshots().name());
      if (ledger.isEmpty()) {
        open(assets, ledger, composer, commit);
      }
      requireNoFork(ledger);
      ControlChange change =
          ConfigurationChange.of(ledger, definition, configurationChangeAccepted);
      skips.startFrom(ledger);

      RolloutSource source = log.rollouts();
      BehaviorSnapshots snapshots = assets.snapshots(log);
      stages.before(Stage.RECOVER);
      OptimizerState state =
          recovery.recover(
              () -> OptimizerState.initial(assets.initialWeights()),
              assets,
              source,
              snapshots,
              new WeightCheck(
                  settings.recovery(),
                  snapshots::of,
                  ledger.genesis().getEnvironment(),
                  environment()),
              () -> stopping);
      if (state == null) {
        return;
      }
      requireWeights(state, ledger);
      stages.after(Stage.RECOVER);
      CheckpointKeeper keeper = new CheckpointKeeper(checkpoints, settings.run().id());
      if (change != null) {
        commit.commit(composer.control(ledger, change, StepTimer.none()));
        LOG.warn("configuration changed from here on: {}", change.getDescription());
        keeper.save(ledger, state);
      }
      try (AdamW optimizer = assets.optimizer(state);
          WindowTrainer trainer = assets.trainer(optimizer, snapshots)) {
        source.resume(ledger.progress());
        Intake intake = intake(assets, assets.contract(snapshots), ledger);
        LedgerWriter writer = new LedgerWriter(ledger, intake, composer, commit, stages, observer);
        new StepLoop(
                settings.learner(),
                ledger,
                new WindowCollector(
                    settings.dispatch(),
                    settings.window(),
                    new HoldBack(settings.learner().holdBackWindows(), settings.learner().steps()),
                    ledger,
                    intake,
                    source,
                    writer,
                    clock),
                new WindowStep(ledger, trainer, optimizer, writer, skips, clock, stages),
                writer,
                keeper,
                trimmer(assets, log, checkpoints, trimBook))
            .run(() -> stopping);
      }
    }
  }

  /**
   * Asks the learner to end after the step it is in. Safe from any thread, a shutdown hook
   * included.
   */
  public void stop() {
    stopping = true;
  }

  private EventComposer composer(
      RunAssets assets, RunDefinition definition, ManifestOffsets manifests, long learnerEpoch) {
    return new EventComposer(
        new EventHeader(settings.run().id(), definition, assets.objective().id(), learnerEpoch),
        new EventRecords(topics, clients.codec(), assets.snapshotEncoder()),
        new PromptComposer(settings.dispatch(), assets.promptSchedule(), manifests),
        clock);
  }

  private void open(
      RunAssets assets, LedgerState ledger, EventComposer composer, StepCommit commit) {
    PreparedEvent genesis =
        composer.genesis(
            ledger,
            WeightsDigest.toBytes(assets.initialWeights()),
            settings.optimizer().scheduleSteps(),
            environment(),
            StepTimer.none());
    commit.commit(genesis);
    observer.committed(genesis.event());
    LOG.info(
        "opened run {}: weights {} of version 0, windows 0 to {} dispatched",
        settings.run().id(),
        ledger.weightsSha256(),
        settings.dispatch().maxStaleness());
  }

  private Map<String, String> environment() {
    return RunEnvironment.of(settings);
  }

  private static void requireNoFork(LedgerState ledger) {
    ForkOrigin origin = ledger.genesis().getForkOf();
    if (origin != null) {
      throw new ConfigurationException(
          "run.topicPrefix: this is a fork of run '%s' after step %d: p3o fork continues it"
              .formatted(origin.getRunId(), origin.getStep()));
    }
  }

  private static void requireWeights(OptimizerState state, LedgerState ledger) {
    String found = WeightsDigest.sha256(WeightsDigest.toBytes(state.weights()));
    if (!found.equals(ledger.weightsSha256())) {
      throw new LedgerException(
          "recovered weights %s, the ledger ends with %s".formatted(found, ledger.weightsSha256()));
    }
  }

  /** Its reader is that of earlier snapshots: both read between steps only. */
  private Trimmer trimmer(
      RunAssets assets, RunLog log, CheckpointStore checkpoints, TrimBook book) {
    return new Trimmer(
        settings,
        topics,
        clients.admin(),
        new RecordScan(clients.snapshots()),
        assets.snapshotSearch(log),
        checkpoints,
        book);
  }

  private Intake intake(RunAssets assets, RolloutContract contract, LedgerState ledger) {
    Map<Integer, PartitionCursor> cursors = new TreeMap<>();
    for (int partition = 0; partition < topics.rollouts().partitions(); partition++) {
      cursors.put(partition, new PartitionCursor(0, List.of()));
    }
    for (PartitionProgress progress : ledger.progress()) {
      cursors.put(progress.getPartition(), PartitionCursor.after(progress));
    }
    return new Intake(
        settings.run().id(),
        contract,
        assets.dynamicSampling(),
        ledger.dispatched(),
        settings.dispatch().groupsPerWindow(),
        settings.dispatch().lockstep(),
        cursors);
  }
}
