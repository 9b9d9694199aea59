package org.p3ostream.learner.runtime;

import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.OptionalLong;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.EventComposer;
import org.p3ostream.learner.commit.EventHeader;
import org.p3ostream.learner.commit.EventRecords;
import org.p3ostream.learner.commit.FencedException;
import org.p3ostream.learner.commit.ForkComposer;
import org.p3ostream.learner.commit.PreparedEvent;
import org.p3ostream.learner.commit.StepCommitter;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run that leaves another one after one of its steps: the same windows, out of the other run's
 * log, trained under another objective or other settings. Its ledger and snapshots are its own. It
 * is transactional and goes on where it was interrupted, as a learner does.
 */
public final class Fork {
  private static final Logger LOG = LoggerFactory.getLogger(Fork.class);

  private final LearnerSettings settings;
  private final ForkSource source;
  private final long mostSteps;
  private final LearnerClients clients;
  private final Clock clock;
  private final TopicCatalogue topics;
  private volatile boolean stopping;

  /**
   * @param settings of the fork: its run id, topic prefix and checkpoints, and how it trains
   * @param mostSteps windows after the shared step that it trains at most
   * @param clients producer and group of the fork
   */
  public Fork(
      LearnerSettings settings,
      ForkSource source,
      long mostSteps,
      LearnerClients clients,
      Clock clock) {
    this.settings = settings;
    this.source = source;
    this.mostSteps = mostSteps;
    this.clients = clients;
    this.clock = clock;
    this.topics = new TopicCatalogue(settings.run().topicPrefix());
    if (settings.run().topicPrefix().equals(source.topicPrefix())) {
      throw new ConfigurationException(
          "--prefix: '%s' is that of the run to fork: one prefix is one run"
              .formatted(source.topicPrefix()));
    }
  }

  /**
   * Trains on the windows that the other run has settled, or until {@link #stop()} is called.
   *
   * @throws FencedException if another process took over
   * @throws LedgerException if one of the ledgers is broken, or the log lacks what the windows hold
   * @throws ConfigurationException if the run cannot be forked so, or the topics hold another fork
   */
  public ForkReport run() {
    TorchRuntime.start(settings.model().threads());
    TorchRuntime.prepareThread();
    try (RunAssets assets = RunAssets.load(settings)) {
      RunLog other =
          new RunLog(clients.readers(), new TopicCatalogue(source.topicPrefix()), source.runId());
      SourceLedger sourceLedger = new SourceLedger(source, settings.dispatch().groupsPerWindow());
      sourceLedger.read(other);
      List<String> changes = changes(assets.definition(), sourceLedger.definition());

      new TopicProvisioner(clients.admin(), settings.learner().topicReplication())
          .provision(topics);
      clients.subjects().provision(RecordTypes.schemas());
      StepCommitter committer =
          new StepCommitter(clients.producer(), clients.rollouts().groupMetadata());
      committer.initialize(); // fences the zombie before the ledger is read

      LedgerState ledger =
          new LedgerState(settings.run().id(), settings.dispatch().groupsPerWindow());
      CheckpointStore checkpoints =
          store(assets, Path.of(settings.learner().checkpointDirectory()));
      checkpoints.removeUnfinished();
      Recovery recovery = new Recovery(checkpoints, settings.run().id());
      RunLog own = new RunLog(clients.readers(), topics, settings.run().id());
      recovery.read(own.ledger(), ledger);
      ForkComposer composer = composer(assets, ledger.learnerEpoch() + 1);
      CheckpointKeeper keeper = new CheckpointKeeper(checkpoints, settings.run().id());
      Beginning beginning = new Beginning(assets, clients.readers(), () -> stopping);
      CheckpointStore sourceCheckpoints = store(assets, source.checkpointDirectory());

      OptimizerState state;
      if (ledger.isEmpty()) {
        state = beginning.of(sourceLedger.origin(), sourceCheckpoints);
        if (state != null) {
          commit(genesis(composer, ledger, sourceLedger.origin(), state), ledger, committer);
          keeper.save(ledger, state);
        }
      } else {
        requireSameFork(ledger, sourceLedger.origin(), assets.definition());
        BehaviorSnapshots snapshots = assets.snapshots(own);
        state =
            recovery.recover(
                () -> beginning.of(ledger.genesis(), sourceCheckpoints),
                assets,
                other.rollouts(),
                assets.snapshots(other),
                new WeightCheck(
                    settings.recovery(),
                    snapshots::of,
                    ledger.genesis().getEnvironment(),
                    RunEnvironment.of(settings)),
                () -> stopping);
      }
      if (state != null) {
        tellWhatItIs(sourceLedger, changes);
        new ForkLoop(settings, ledger, composer, committer, keeper, clock)
            .run(assets, state, other, windows(sourceLedger, ledger), () -> stopping);
      }
      return report(ledger, sourceLedger, changes);
    }
  }

  /** Asks it to end after the step it is in. Safe from any thread. */
  public void stop() {
    stopping = true;
  }

  private List<StepEvent> windows(SourceLedger sourceLedger, LedgerState ledger) {
    return sourceLedger.windowsAfter(ledger.nextWindow() - 1).stream()
        .filter(event -> event.getStep() - source.step() <= mostSteps)
        .toList();
  }

  private CheckpointStore store(RunAssets assets, Path directory) {
    return new CheckpointStore(
        directory, assets.model().layout(), settings.learner().checkpointsKept());
  }

  private static List<String> changes(RunDefinition definition, RunDefinition recorded) {
    List<String> fixed = definition.fixedDifferencesFrom(recorded);
    if (!fixed.isEmpty()) {
      throw new ConfigurationException("a fork shares with its run: " + String.join("; ", fixed));
    }
    return definition.differencesFrom(recorded);
  }

  private static void requireSameFork(
      LedgerState ledger, ForkOrigin wanted, RunDefinition definition) {
    ForkOrigin origin = ledger.genesis().getForkOf();
    if (origin == null || !origin.equals(wanted)) {
      throw new ConfigurationException(
          "--prefix: it holds %s, not a fork of run '%s' after step %d"
              .formatted(
                  origin == null
                      ? "a run that is no fork"
                      : "a fork of run '%s' after step %d"
                          .formatted(origin.getRunId(), origin.getStep()),
                  wanted.getRunId(),
                  wanted.getStep()));
    }
    List<String> differences = definition.differencesFrom(ledger.definition());
    if (!differences.isEmpty()) {
      throw new ConfigurationException(
          "the configuration differs from the one this fork was made with: "
              + String.join("; ", differences));
    }
  }

  private ForkComposer composer(RunAssets assets, long learnerEpoch) {
    return new ForkComposer(
        new EventComposer(
            new EventHeader(
                settings.run().id(), assets.definition(), assets.objective().id(), learnerEpoch),
            new EventRecords(topics, clients.codec(), assets.snapshotEncoder()),
            new PromptComposer( // for nothing: a fork dispatches nothing
                settings.dispatch(),
                assets.promptSchedule(),
                new ManifestOffsets(version -> OptionalLong.empty())),
            clock));
  }

  private PreparedEvent genesis(
      ForkComposer composer, LedgerState ledger, ForkOrigin origin, OptimizerState state) {
    return composer.genesis(
        ledger,
        origin,
        WeightsDigest.toBytes(state.weights()),
        settings.optimizer().scheduleSteps(),
        RunEnvironment.of(settings),
        StepTimer.none());
  }

  private static void commit(PreparedEvent prepared, LedgerState ledger, StepCommitter committer) {
    committer.commit(prepared);
    ledger.apply(prepared.event(), prepared.eventHash());
  }

  private void tellWhatItIs(SourceLedger sourceLedger, List<String> changes) {
    LOG.info(
        "fork of run {} after step {} at version {}: {}",
        source.runId(),
        source.step(),
        sourceLedger.origin().getPolicyVersion(),
        changes.isEmpty() ? "nothing is changed" : String.join("; ", changes));
    if (!changes.isEmpty() && sourceLedger.offPolicyFrom().isPresent()) {
      LOG.info(
          "from window {} on the data are off-policy: run {} sampled them with weights of its own",
          sourceLedger.offPolicyFrom().getAsLong(),
          source.runId());
    }
  }

  private ForkReport report(LedgerState ledger, SourceLedger sourceLedger, List<String> changes) {
    ForkOrigin origin = sourceLedger.origin();
    return new ForkReport(
        origin.getStep(),
        origin.getPolicyVersion(),
        changes,
        changes.isEmpty() ? OptionalLong.empty() : sourceLedger.offPolicyFrom(),
        ledger.isEmpty() ? origin.getStep() : ledger.nextWindow() - 1,
        sourceLedger.lastStep(),
        ledger.policyVersion(),
        ledger.weightsSha256());
  }
}
