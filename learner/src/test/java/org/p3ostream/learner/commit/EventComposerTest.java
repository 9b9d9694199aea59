package org.p3ostream.learner.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.learner.window.RolloutGroups.good;
import static org.p3ostream.learner.window.RolloutGroups.withResponse;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.dispatch.PromptSchedule;
import org.p3ostream.learner.dispatch.TopUps;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;

class EventComposerTest {

  private static final int GROUPS_PER_WINDOW = 2;
  private static final long NOW_MS = 1_700_000_000_000L;
  private static final TopicCatalogue TOPICS = new TopicCatalogue("t.");
  private static final PhaseDurations PHASES = new PhaseDurations(1d, 2d, 3d, 4d, 5d, 6d);
  private static final RunDefinition DEFINITION = RunDefinition.parse("{\"run\":{\"seed\":1}}");

  private final RecordCodec codec = InMemorySerde.codec();
  private final LedgerState ledger = new LedgerState(RolloutGroups.RUN_ID, GROUPS_PER_WINDOW);
  private final Intake intake = intake();

  /** As if the manifest of version v lay at 1000 + v. */
  private final ManifestOffsets manifests =
      new ManifestOffsets(version -> OptionalLong.of(1000 + version));

  private EventComposer composer = composer(1);
  private long nextOffset;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void genesisDispatchesTheWindowsUpToTheStalenessBound(int maxStaleness) {
    composer = composer(maxStaleness);
    PreparedEvent genesis = genesis();
    int groups = (maxStaleness + 1) * GROUPS_PER_WINDOW;
    List<PromptTask> prompts = records(genesis, PromptTask.class);
    assertThat(prompts).hasSize(groups);
    for (int groupId = 0; groupId < groups; groupId++) {
      PromptTask prompt = prompts.get(groupId);
      assertThat(prompt.getGroupId()).isEqualTo(groupId);
      assertThat(prompt.getWindowIndex()).isEqualTo(groupId / GROUPS_PER_WINDOW);
      assertThat(prompt.getAttempt()).isZero();
      assertThat(prompt.getExactPolicyVersion()).isZero();
    }
    assertThat(genesis.event().getDispatched()).hasSize(groups);
  }

  @Test
  void genesisOpensTheRun() {
    byte[] weights = weights(0);
    StepEvent event = genesis().event();
    assertThat(event.getKind()).isEqualTo(StepKind.GENESIS);
    assertThat(event.getStep()).isEqualTo(-1);
    assertThat(event.getRunId()).isEqualTo(RolloutGroups.RUN_ID);
    assertThat(event.getPolicyVersionBefore()).isZero();
    assertThat(event.getPolicyVersionAfter()).isZero();
    assertThat(event.getWeightsSha256()).isEqualTo(WeightsDigest.sha256(weights));
    assertThat(event.getConfiguration()).isEqualTo(DEFINITION.json());
    assertThat(event.getConfigHash()).isEqualTo(DEFINITION.hash());
    assertThat(event.getScheduleSteps()).isEqualTo(150);
    assertThat(event.getEnvironment()).isEqualTo(Map.of("torch", "2.7.1"));
    assertThat(event.getPreviousEventHash()).isEqualTo(EventHash.NONE);
    assertThat(event.getAlgorithm()).isEqualTo("p3o/step/proxy");
    assertThat(event.getLearnerEpoch()).isEqualTo(4);
    assertThat(event.getCommittedAt()).isEqualTo(NOW_MS);
    assertThat(event.getPhases()).isEqualTo(PHASES);
    assertThat(event.getMetrics()).isNull();
    assertThat(genesis().offsets()).isEmpty();
  }

  /** Committing step w − η − 1 dispatches window w, at the version that the step makes. */
  @Test
  void stepDispatchesTheWindowBeyondTheStalenessBoundAtTheNewVersion() {
    apply(genesis());
    for (int window = 0; window < 4; window++) {
      PreparedEvent step = step(window, window == 0 ? 0 : Math.max(0, window - 1));
      long firstGroup = (window + 2L) * GROUPS_PER_WINDOW;
      assertThat(step.event().getPolicyVersionBefore()).isEqualTo(window);
      assertThat(step.event().getPolicyVersionAfter()).isEqualTo(window + 1);
      assertThat(step.event().getDispatched())
          .containsExactly(
              new DispatchedGroup(firstGroup, 0, window + 1L),
              new DispatchedGroup(firstGroup + 1, 0, window + 1L));
      for (PromptTask prompt : records(step, PromptTask.class)) {
        assertThat(prompt.getWindowIndex()).isEqualTo(window + 2);
        assertThat(prompt.getMinPolicyVersion()).isEqualTo(window + 1);
        assertThat(prompt.getExactPolicyVersion()).isEqualTo(window + 1);
      }
      apply(step);
    }
  }

  /** The version in force, rounded down: 0, 0, then 3, 3, 3, then 6. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void stepAsksForTheLastVersionOfThePeriodAndNamesItsManifestOnceItIsCommitted(boolean lockstep) {
    composer = composer(new DispatchConfig(GROUPS_PER_WINDOW, 0, 3, 0, 600, lockstep));
    apply(genesis());
    for (int window = 0; window < 7; window++) {
      PreparedEvent step = step(window, window - window % 3);
      int version = window + 1;
      long asked = version - version % 3;
      assertThat(step.event().getDispatched())
          .extracting(DispatchedGroup::getPolicyVersion)
          .containsOnly(asked);
      for (PromptTask prompt : records(step, PromptTask.class)) {
        assertThat(prompt.getMinPolicyVersion()).isEqualTo(asked);
        assertThat(prompt.getExactPolicyVersion()).isEqualTo(lockstep ? asked : null);
        assertThat(prompt.getManifestOffset()).isEqualTo(asked == version ? null : 1000 + asked);
      }
      apply(step);
      assertThat(ledger.dispatched().find(version * GROUPS_PER_WINDOW))
          .isEqualTo(new DispatchBook.Dispatched(0, asked, 0, false));
    }
  }

  @Test
  void anEventThatNoLedgerTakesIsRefusedBeforeItIsSent() {
    assertThatThrownBy(
            () ->
                composer.genesis(
                    ledger, weights(0), 150, Map.of("torch", "x".repeat(1_000_000)), PHASES))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("GENESIS event of step -1 takes 100")
        .hasMessageContaining("4 dispatched");
  }

  @Test
  void stepRecordsWindowMetricsAndProgress() {
    apply(genesis());
    accept(good(1, 0, 0, 0));
    accept(good(2, 0, 1, 0));
    accept(good(0, 0, 0, 0));
    PreparedEvent step =
        composer.step(ledger, intake, intake.take(0), trained(), weights(1), PHASES);
    StepEvent event = step.event();
    assertThat(event.getKind()).isEqualTo(StepKind.STEP);
    assertThat(event.getStep()).isZero();
    assertThat(event.getWindow())
        .containsExactly(new WindowEntry(0, 2L, 0L, 0, 0L), new WindowEntry(0, 0L, 1L, 0, 0L));
    assertThat(event.getProgress())
        .containsExactly(
            new PartitionProgress(0, 1L, List.of(), List.of(new OffsetRange(2L, 2L))),
            new PartitionProgress(1, 0L, List.of(), List.of()));
    assertThat(step.offsets())
        .isEqualTo(
            Map.of(
                new TopicPartition("t.rollouts", 0), new OffsetAndMetadata(1),
                new TopicPartition("t.rollouts", 1), new OffsetAndMetadata(0)));
    assertThat(event.getMetrics()).isEqualTo(trained().metrics());
    assertThat(event.getRatioStatistics()).isEqualTo(trained().ratioStatistics());
    assertThat(event.getWeightsSha256()).isEqualTo(WeightsDigest.sha256(weights(1)));
    assertThat(event.getConfiguration()).isNull();
  }

  @Test
  void snapshotIsSentAfterTheEventAndBeforeThePromptsThatAskForIt() {
    PreparedEvent genesis = genesis();
    apply(genesis);
    for (PreparedEvent prepared : List.of(genesis, step(0, 0))) {
      List<String> order = prepared.records().stream().map(ProducerRecord::topic).toList();
      assertThat(order.get(0)).isEqualTo("t.steps");
      int firstPrompt = order.indexOf("t.prompts");
      int manifest = order.lastIndexOf("t.snapshots");
      assertThat(manifest).isBetween(1, firstPrompt - 1);
      assertThat(decode(prepared.records().get(manifest))).isInstanceOf(SnapshotManifest.class);
      assertThat(decode(prepared.records().get(1))).isInstanceOf(SnapshotChunk.class);
      SnapshotManifest found = records(prepared, SnapshotManifest.class).get(0);
      assertThat(found.getVersion()).isEqualTo(prepared.event().getPolicyVersionAfter());
      assertThat(found.getSha256()).isEqualTo(prepared.event().getWeightsSha256());
      assertThat(found.getStep()).isEqualTo(prepared.event().getStep());
    }
  }

  @Test
  void recordsCarryKeysAndPartitionsOfTheirTopics() {
    for (ProducerRecord<byte[], byte[]> record : genesis().records()) {
      long key = ByteBuffer.wrap(record.key()).getLong();
      if (record.topic().equals("t.prompts")) {
        PromptTask prompt = (PromptTask) decode(record);
        assertThat(key).isEqualTo(prompt.getGroupId());
        assertThat(record.partition()).isEqualTo((int) (key % 8));
      } else {
        assertThat(record.partition()).isZero();
        assertThat(key).isEqualTo(record.topic().equals("t.steps") ? -1 : 0);
      }
    }
  }

  @Test
  void noOpMovesTheStepButNotTheVersion() {
    apply(genesis());
    accept(good(0, 0, 0, 0));
    accept(good(1, 0, 0, 0));
    PreparedEvent noOp = composer.noOp(ledger, intake, intake.take(0), PHASES);
    StepEvent event = noOp.event();
    assertThat(event.getKind()).isEqualTo(StepKind.NO_OP);
    assertThat(event.getStep()).isZero();
    assertThat(event.getPolicyVersionAfter()).isZero();
    assertThat(event.getWeightsSha256()).isEqualTo(ledger.weightsSha256());
    assertThat(event.getMetrics()).isNull();
    assertThat(event.getWindow()).hasSize(2);
    assertThat(event.getProgress().get(0).getNextOffset()).isEqualTo(2);
    assertThat(records(noOp, SnapshotManifest.class)).isEmpty();
    assertThat(records(noOp, PromptTask.class))
        .extracting(PromptTask::getWindowIndex)
        .containsExactly(2L, 2L);
    assertThat(records(noOp, PromptTask.class))
        .extracting(PromptTask::getExactPolicyVersion)
        .containsOnly(0L);
    apply(noOp);
    assertThat(ledger.nextWindow()).isEqualTo(1);
    assertThat(ledger.policyVersion()).isZero();
  }

  @Test
  void interimDispatchesTheNextAttemptAtTheVersionOfTheFirst() {
    apply(genesis());
    apply(step(0, 0));
    apply(step(1, 0));
    accept(withResponse(good(5, 0, 2, 1), 0, b -> b.setReward(Double.NaN)));
    PreparedEvent interim = interim();
    assertThat(interim.event().getKind()).isEqualTo(StepKind.INTERIM);
    assertThat(interim.event().getStep()).isEqualTo(2);
    assertThat(interim.event().getPolicyVersionAfter()).isEqualTo(2);
    assertThat(interim.event().getDispatched()).containsExactly(new DispatchedGroup(5L, 1, 1L));
    PromptTask prompt = records(interim, PromptTask.class).get(0);
    assertThat(prompt.getAttempt()).isEqualTo(1);
    assertThat(prompt.getExactPolicyVersion()).isEqualTo(1); // the run is at 2
    assertThat(prompt.getManifestOffset()).isEqualTo(1001);
    assertThat(records(interim, SnapshotManifest.class)).isEmpty();
    apply(interim);
    assertThat(intake.replacementDue()).isFalse();
    accept(good(5, 1, 2, 1));
    assertThat(intake.admittedGroups(2)).isEqualTo(1);
  }

  @Test
  void interimDispatchesALostGroupWithTheSameAttemptAndPrompt() {
    PreparedEvent genesis = genesis();
    apply(genesis);
    TopUps.Plan plan = new TopUps(1).plan(ledger.dispatched(), List.of(), List.of(1L));
    PreparedEvent interim = composer.interim(ledger, intake, plan, PHASES);
    assertThat(interim.event().getDispatched()).containsExactly(new DispatchedGroup(1L, 0, 0L));
    PromptTask again = records(interim, PromptTask.class).get(0);
    PromptTask first = records(genesis, PromptTask.class).get(1);
    assertThat(again.getManifestOffset()).isEqualTo(1000);
    assertThat(PromptTask.newBuilder(again).setManifestOffset(null).build()).isEqualTo(first);
    apply(interim);
    accept(good(1, 0, 0, 0));
    accept(good(1, 0, 0, 0)); // both were sampled after all
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
    assertThat(intake.drainRejections())
        .extracting(rejection -> rejection.reason())
        .containsExactly(RejectionReason.DUPLICATE);
  }

  @Test
  void windowIsTrainedWithoutTheGroupsThatWereGivenUp() {
    apply(genesis());
    TopUps.Plan plan = new TopUps(0).plan(ledger.dispatched(), List.of(), List.of(1L, 2L, 3L));
    PreparedEvent interim = composer.interim(ledger, intake, plan, PHASES);
    assertThat(interim.event().getMissingGroups()).containsExactly(1L, 2L, 3L);
    assertThat(records(interim, PromptTask.class)).isEmpty();
    apply(interim);
    assertThat(intake.isComplete(0)).isFalse();
    accept(good(0, 0, 0, 0));
    assertThat(intake.isComplete(0)).isTrue();
    PreparedEvent step =
        composer.step(ledger, intake, intake.take(0), trained(), weights(1), PHASES);
    assertThat(step.event().getWindow()).extracting(WindowEntry::getGroupId).containsExactly(0L);
    assertThat(step.event().getMissingGroups()).containsExactly(1L);
    apply(step);
    assertThat(intake.isComplete(1)).isTrue();
    PreparedEvent noOp = composer.noOp(ledger, intake, intake.take(1), PHASES);
    assertThat(noOp.event().getWindow()).isEmpty();
    assertThat(noOp.event().getMissingGroups()).containsExactly(2L, 3L);
    apply(noOp);
  }

  @Test
  void skipPassesAWindowThatCouldBeTrainedAndSaysSo() {
    apply(genesis());
    accept(good(0, 0, 0, 0));
    accept(good(1, 0, 0, 0));
    StepEvent event = composer.skip(ledger, intake, intake.take(0), "asked for", PHASES).event();
    assertThat(event.getKind()).isEqualTo(StepKind.NO_OP);
    assertThat(event.getWindow()).hasSize(2);
    assertThat(event.getControl().getKind()).isEqualTo(ControlKind.SKIP_WINDOW);
    assertThat(event.getControl().getDescription()).isEqualTo("asked for");
    assertThat(event.getDispatched()).hasSize(2);
  }

  @Test
  void rejectionsBecomeSkippedRecordsAndDeadLettersOnce() {
    apply(genesis());
    accept(withResponse(good(1, 0, 0, 0), 1, b -> b.setReward(Double.NaN)));
    intake.accept(
        new RolloutCoordinate(1, 7),
        31,
        new Decoded.Rejected(RejectionReason.UNDECODABLE, "no wire format"),
        0);
    PreparedEvent interim = interim();
    assertThat(interim.event().getSkipped())
        .containsExactly(
            new SkippedRecord(0, 0L, RejectionReason.NON_FINITE),
            new SkippedRecord(1, 7L, RejectionReason.UNDECODABLE));
    assertThat(interim.event().getProgress())
        .extracting(PartitionProgress::getNextOffset)
        .containsExactly(1L, 8L);
    List<DeadLetter> letters = records(interim, DeadLetter.class);
    assertThat(letters).hasSize(2);
    DeadLetter content = letters.get(0);
    assertThat(content.getRunId()).isEqualTo(RolloutGroups.RUN_ID);
    assertThat(content.getSourceTopic()).isEqualTo("t.rollouts");
    assertThat(content.getSourcePartition()).isZero();
    assertThat(content.getSourceOffset()).isZero();
    assertThat(content.getReason()).isEqualTo(RejectionReason.NON_FINITE);
    assertThat(content.getField()).isEqualTo("responses[1].reward");
    assertThat(content.getGroupId()).isEqualTo(1);
    assertThat(content.getAttempt()).isZero();
    assertThat(content.getProducerId()).isEqualTo("producer-1");
    assertThat(content.getValueBytes()).isEqualTo(10);
    assertThat(content.getRejectedAt()).isEqualTo(NOW_MS);
    DeadLetter bytes = letters.get(1);
    assertThat(bytes.getSourcePartition()).isEqualTo(1);
    assertThat(bytes.getSourceOffset()).isEqualTo(7);
    assertThat(bytes.getField()).isNull();
    assertThat(bytes.getGroupId()).isNull();
    assertThat(bytes.getCause()).isEqualTo("no wire format");
    apply(interim);
    PreparedEvent next = interim();
    assertThat(next.event().getSkipped()).isEmpty();
    assertThat(records(next, DeadLetter.class)).isEmpty();
  }

  @Test
  void eventsAreChainedByTheHashOfTheirBytes() {
    List<PreparedEvent> chain = new ArrayList<>();
    chain.add(genesis());
    apply(chain.get(0));
    for (int window = 0; window < 3; window++) {
      chain.add(interim());
      apply(chain.get(chain.size() - 1));
      chain.add(step(window, Math.max(0, window - 1)));
      apply(chain.get(chain.size() - 1));
    }
    String previous = EventHash.NONE;
    for (PreparedEvent prepared : chain) {
      ProducerRecord<byte[], byte[]> record = prepared.records().get(0);
      assertThat(decode(record)).isEqualTo(prepared.event());
      assertThat(prepared.eventHash()).isEqualTo(EventHash.of(record.value()));
      assertThat(prepared.event().getPreviousEventHash()).isEqualTo(previous);
      previous = prepared.eventHash();
    }
  }

  private PreparedEvent interim() {
    TopUps.Plan plan =
        new TopUps(1).plan(ledger.dispatched(), intake.drainReplacements(), List.of());
    return composer.interim(ledger, intake, plan, PHASES);
  }

  private PreparedEvent genesis() {
    return composer.genesis(ledger, weights(0), 150, Map.of("torch", "2.7.1"), PHASES);
  }

  /** Takes in both groups of a window and composes its step. */
  private PreparedEvent step(long window, long sampledBy) {
    for (long slot = 0; slot < GROUPS_PER_WINDOW; slot++) {
      accept(good(window * GROUPS_PER_WINDOW + slot, 0, window, sampledBy));
    }
    return composer.step(
        ledger, intake, intake.take(window), trained(), weights(window + 1), PHASES);
  }

  private void apply(PreparedEvent prepared) {
    ledger.apply(prepared.event(), prepared.eventHash());
  }

  private void accept(RolloutGroup group) {
    intake.accept(
        new RolloutCoordinate(0, nextOffset++),
        10,
        new Decoded.Accepted(group),
        ledger.policyVersion());
  }

  private <T> List<T> records(PreparedEvent prepared, Class<T> type) {
    return prepared.records().stream()
        .map(this::decode)
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  private SpecificRecord decode(ProducerRecord<byte[], byte[]> record) {
    return ((Decoded.Accepted) codec.decode(record.topic(), record.value())).record();
  }

  private Intake intake() {
    Map<Integer, PartitionCursor> cursors = new TreeMap<>();
    cursors.put(0, new PartitionCursor(0, List.of()));
    cursors.put(1, new PartitionCursor(0, List.of()));
    return new Intake(
        RolloutGroups.RUN_ID,
        RolloutGroups.contract(),
        DynamicSampling.OFF,
        ledger.dispatched(),
        GROUPS_PER_WINDOW,
        true,
        cursors);
  }

  private EventComposer composer(int maxStaleness) {
    return composer(new DispatchConfig(GROUPS_PER_WINDOW, maxStaleness, 1, 0, 600, true));
  }

  private EventComposer composer(DispatchConfig dispatch) {
    return new EventComposer(
        new EventHeader(RolloutGroups.RUN_ID, DEFINITION, "p3o/step/proxy", 4),
        new EventRecords(
            TOPICS,
            codec,
            new SnapshotEncoder(RolloutGroups.RUN_ID, RolloutGroups.MODEL_HASH, List.of())),
        new PromptComposer(dispatch, schedule(), manifests),
        Clock.fixed(Instant.ofEpochMilli(NOW_MS), ZoneOffset.UTC));
  }

  private static PromptSchedule schedule() {
    return new PromptSchedule(
        new RunConfig(RolloutGroups.RUN_ID, 1, "t."),
        SamplingConfig.defaults(),
        List.of(new PromptDataset("train", "exact-match", 1, SyntheticTask.SORT8.generate(20, 1))),
        GROUPS_PER_WINDOW);
  }

  private static byte[] weights(long version) {
    return WeightsDigest.toBytes(new float[] {version, 0.5f, -1});
  }

  static TrainedWindow trained() {
    StepMetrics metrics =
        StepMetrics.newBuilder()
            .setRewardMean(0.5)
            .setRewardStd(0.5)
            .setValidTokens(16)
            .setResponseLengthMean(4)
            .setTruncatedFraction(0)
            .setLoss(0.1)
            .setPolicyLoss(0.1)
            .setNormalizedEss(0.9)
            .setAdaptiveCap(0.9)
            .setRatioMean(1)
            .setRatioStd(0.1)
            .setRatioMax(1.5)
            .setCapFraction(0.6)
            .setRatioAboveOneFraction(0.5)
            .setBehaviorKlProxyMean(0)
            .setBehaviorKlProxyMax(0)
            .setAdaptiveKlLossMean(0)
            .setGradNorm(1)
            .setLearningRate(1e-3)
            .setStalenessMin(0)
            .setStalenessMean(0)
            .setStalenessP95(0)
            .setStalenessMax(0)
            .setAgeMeanSeconds(1)
            .setMicroBatches(1)
            .build();
    return new TrainedWindow(metrics, List.of(new VersionRatioStatistics(0L, 2.7, 2.8, 16L)), 1, 1);
  }
}
