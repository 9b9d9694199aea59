package org.p3ostream.learner.runtime;

import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.FencedException;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.trim.TrimBook;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
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
  private final TopicCatalogue topics;
  private volatile boolean stopping;

  public Learner(LearnerSettings settings, LearnerClients clients, Clock clock) {
    this.settings = settings;
    this.clients = clients;
    this.clock = clock;
    this.topics = new TopicCatalogue(settings.run().topicPrefix());
  }

  /**
   * Runs until the configured number of steps is committed or {@link #stop()} is called. Writes a
   * checkpoint at the end.
   *
   * @throws FencedException if another learner took over
   * @throws LedgerException if the topics hold another run, a broken one, or one of another
   *     configuration
   */
  public void run() {
    TorchRuntime.start(settings.model().threads());
    TorchRuntime.prepareThread();
    try (RunAssets assets = RunAssets.load(settings)) {
      new TopicProvisioner(clients.admin(), settings.learner().topicReplication())
          .provision(topics);
      clients.subjects().provision(RecordTypes.schemas());
      StepCommitter committer =
          new StepCommitter(clients.producer(), clients.rollouts().groupMetadata());
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
              settings.learner().checkpointsKept());
      Recovery recovery = new Recovery(checkpoints, settings.run().id());
      recovery.read(
          new LedgerReader(clients.ledger(), clients.codec(), topics.steps().name()), ledger);
      EventComposer composer = composer(assets, definition, ledger.learnerEpoch() + 1);
      if (ledger.isEmpty()) {
        open(assets, ledger, composer, committer);
      } else {
        requireSameDefinition(definition, ledger);
      }

      RolloutSource source =
          new RolloutSource(clients.rollouts(), clients.codec(), topics.rollouts());
      BehaviorSnapshots snapshots =
          assets.snapshots(clients.snapshots(), clients.codec(), topics.snapshots().name());
      RolloutContract contract = assets.contract(snapshots);
      try (AdamW optimizer = assets.optimizer(recovery.startingState(assets.initialWeights()));
          WindowTrainer trainer = assets.trainer(optimizer, snapshots)) {
        if (!recovery.reexecute(trainer, optimizer, source, contract, () -> stopping)) {
          return;
        }
        requireWeights(optimizer, ledger);
        source.resume(ledger.progress());
        Intake intake = intake(assets, contract, ledger);
        new StepLoop(
                settings,
                ledger,
                intake,
                source,
                trainer,
                optimizer,
                composer,
                committer,
                checkpoints,
                trimmer(assets, checkpoints, trimBook),
                clock)
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

  private EventComposer composer(RunAssets assets, RunDefinition definition, long learnerEpoch) {
    return new EventComposer(
        topics,
        clients.codec(),
        definition,
        settings.run().id(),
        assets.objective().id(),
        settings.dispatch(),
        assets.promptSchedule(),
        assets.snapshotEncoder(),
        clock,
        learnerEpoch);
  }

  private void open(
      RunAssets assets, LedgerState ledger, EventComposer composer, StepCommitter committer) {
    Map<String, String> environment = new TreeMap<>(settings.environment());
    environment.put("torch", TorchRuntime.version());
    environment.put("device", settings.model().device());
    environment.put("threads", Integer.toString(settings.model().threads()));
    PreparedEvent genesis =
        composer.genesis(
            ledger,
            WeightsDigest.toBytes(assets.initialWeights()),
            settings.optimizer().scheduleSteps(),
            environment,
            StepTimer.none());
    committer.commit(genesis);
    ledger.apply(genesis.event(), genesis.eventHash());
    LOG.info(
        "opened run {}: weights {} of version 0, windows 0 to {} dispatched",
        settings.run().id(),
        ledger.weightsSha256(),
        settings.dispatch().maxStaleness());
  }

  private static void requireSameDefinition(RunDefinition definition, LedgerState ledger) {
    StepEvent genesis = ledger.genesis();
    if (!definition.hash().equals(genesis.getConfigHash())) {
      RunDefinition recorded = RunDefinition.parse(String.valueOf(genesis.getConfiguration()));
      throw new LedgerException(
          "the configuration differs from the one this run was opened with: "
              + String.join("; ", definition.differencesFrom(recorded)));
    }
  }

  private static void requireWeights(AdamW optimizer, LedgerState ledger) {
    String found = WeightsDigest.sha256(WeightsDigest.toBytes(optimizer.weights()));
    if (!found.equals(ledger.weightsSha256())) {
      throw new LedgerException(
          "recovered weights %s, the ledger ends with %s".formatted(found, ledger.weightsSha256()));
    }
  }

  /** Its reader is that of earlier snapshots: both read between steps only. */
  private Trimmer trimmer(RunAssets assets, CheckpointStore checkpoints, TrimBook book) {
    return new Trimmer(
        settings,
        topics,
        clients.admin(),
        new RecordScan(clients.snapshots()),
        assets.snapshotSearch(clients.snapshots(), clients.codec(), topics.snapshots().name()),
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
