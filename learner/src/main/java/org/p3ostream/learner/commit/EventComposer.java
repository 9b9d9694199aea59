package org.p3ostream.learner.commit;

import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.dispatch.TopUps;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.Rejection;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * Composes step events and everything that is committed with them: snapshot, prompts, dead letters,
 * progress. The snapshot goes before the prompts that ask for it.
 */
public final class EventComposer {

  private final EventHeader header;
  private final EventRecords encoding;
  private final PromptComposer promptComposer;
  private final Clock clock;

  public EventComposer(
      EventHeader header, EventRecords encoding, PromptComposer promptComposer, Clock clock) {
    this.header = header;
    this.encoding = encoding;
    this.promptComposer = promptComposer;
    this.clock = clock;
  }

  /**
   * Opens a run: configuration, snapshot of version 0, prompts of windows 0…η.
   *
   * @param weights version 0, flat float32 little-endian bytes
   * @param environment what else bit identity depends on
   */
  public PreparedEvent genesis(
      LedgerState ledger,
      byte[] weights,
      long scheduleSteps,
      Map<String, String> environment,
      PhaseDurations phases) {
    List<PromptTask> prompts = promptComposer.opening();
    StepEvent.Builder event =
        event(ledger, StepKind.GENESIS, -1, phases)
            .setPolicyVersionBefore(0)
            .setPolicyVersionAfter(0)
            .setWeightsSha256(WeightsDigest.sha256(weights))
            .setConfiguration(header.definition().json())
            .setScheduleSteps(scheduleSteps)
            .setEnvironment(environment)
            .setDispatched(dispatched(prompts));
    return prepare(event.build(), encoding.snapshot(0, -1, weights), prompts, List.of(), Map.of());
  }

  /**
   * A trained window. It dispatches window w + η + 1.
   *
   * @param weights weights after the update, flat float32 little-endian bytes
   */
  public PreparedEvent step(
      LedgerState ledger,
      Intake intake,
      Window window,
      TrainedWindow trained,
      byte[] weights,
      PhaseDurations phases) {
    long version = ledger.policyVersion() + 1;
    List<PromptTask> prompts =
        promptComposer.after(window.index(), version, ledger.policyVersion());
    StepEvent.Builder event =
        event(ledger, StepKind.STEP, window.index(), phases)
            .setPolicyVersionAfter(version)
            .setWindow(entries(window))
            .setMissingGroups(window.missingGroups())
            .setMetrics(trained.metrics())
            .setRatioStatistics(trained.ratioStatistics())
            .setWeightsSha256(WeightsDigest.sha256(weights))
            .setDispatched(dispatched(prompts));
    return withIntake(event, intake, encoding.snapshot(version, window.index(), weights), prompts);
  }

  /** A window without a valid token: the step moves, the version does not. */
  public PreparedEvent noOp(
      LedgerState ledger, Intake intake, Window window, PhaseDurations phases) {
    return pass(ledger, intake, window, null, phases);
  }

  /**
   * A window that an operator wants passed: its groups are settled and not trained.
   *
   * @param reason who asked for it, in words
   */
  public PreparedEvent skip(
      LedgerState ledger, Intake intake, Window window, String reason, PhaseDurations phases) {
    ControlChange control =
        ControlChange.newBuilder().setKind(ControlKind.SKIP_WINDOW).setDescription(reason).build();
    return pass(ledger, intake, window, control, phases);
  }

  private PreparedEvent pass(
      LedgerState ledger,
      Intake intake,
      Window window,
      @Nullable ControlChange control,
      PhaseDurations phases) {
    List<PromptTask> prompts =
        promptComposer.after(window.index(), ledger.policyVersion(), ledger.policyVersion());
    StepEvent.Builder event =
        event(ledger, StepKind.NO_OP, window.index(), phases)
            .setWindow(entries(window))
            .setMissingGroups(window.missingGroups())
            .setControl(control)
            .setDispatched(dispatched(prompts));
    return withIntake(event, intake, List.of(), prompts);
  }

  /** Rejections, progress, groups dispatched again and groups given up, without an update. */
  public PreparedEvent interim(
      LedgerState ledger, Intake intake, TopUps.Plan plan, PhaseDurations phases) {
    List<PromptTask> prompts = plan.again().stream().map(promptComposer::again).toList();
    StepEvent.Builder event =
        event(ledger, StepKind.INTERIM, ledger.nextWindow(), phases)
            .setMissingGroups(plan.givenUp())
            .setDispatched(dispatched(prompts));
    return withIntake(event, intake, List.of(), prompts);
  }

  /** What may be deleted from now on; nothing is before this is committed. */
  public PreparedEvent trim(LedgerState ledger, ControlChange change, PhaseDurations phases) {
    StepEvent event =
        event(ledger, StepKind.CONTROL, ledger.nextWindow(), phases)
            .setControl(change)
            .setDispatched(List.of())
            .build();
    return prepare(event, List.of(), List.of(), List.of(), Map.of());
  }

  /** A change of the configuration to the one of this composer, from the next window on. */
  public PreparedEvent control(LedgerState ledger, ControlChange change, PhaseDurations phases) {
    StepEvent.Builder event =
        event(ledger, StepKind.CONTROL, ledger.nextWindow(), phases)
            .setControl(change)
            .setConfiguration(header.definition().json())
            .setDispatched(List.of());
    return prepare(event.build(), List.of(), List.of(), List.of(), Map.of());
  }

  StepEvent.Builder event(LedgerState ledger, StepKind kind, long step, PhaseDurations phases) {
    return StepEvent.newBuilder()
        .setKind(kind)
        .setRunId(header.runId())
        .setStep(step)
        .setPolicyVersionBefore(ledger.policyVersion())
        .setPolicyVersionAfter(ledger.policyVersion())
        .setWindow(List.of())
        .setSkipped(List.of())
        .setProgress(List.of())
        .setRatioStatistics(List.of())
        .setAlgorithm(header.algorithm())
        .setWeightsSha256(ledger.weightsSha256())
        .setConfigHash(header.definition().hash())
        .setPreviousEventHash(ledger.lastEventHash())
        .setPhases(phases)
        .setLearnerEpoch(header.learnerEpoch())
        .setCommittedAt(clock.millis());
  }

  private PreparedEvent withIntake(
      StepEvent.Builder event,
      Intake intake,
      List<ProducerRecord<byte[], byte[]>> snapshot,
      List<PromptTask> prompts) {
    List<Rejection> rejections = intake.drainRejections();
    List<PartitionProgress> progress = new ArrayList<>();
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (int partition : intake.partitions()) {
      PartitionCursor cursor = intake.cursor(partition);
      progress.add(cursor.progress(partition));
      offsets.put(encoding.rollouts(partition), new OffsetAndMetadata(cursor.nextOffset()));
    }
    List<SkippedRecord> skipped =
        rejections.stream()
            .map(
                rejection ->
                    SkippedRecord.newBuilder()
                        .setPartition(rejection.coordinate().partition())
                        .setRecordOffset(rejection.coordinate().recordOffset())
                        .setReason(rejection.reason())
                        .build())
            .toList();
    return prepare(
        event.setProgress(progress).setSkipped(skipped).build(),
        snapshot,
        prompts,
        rejections,
        offsets);
  }

  PreparedEvent prepare(
      StepEvent event,
      List<ProducerRecord<byte[], byte[]>> snapshot,
      List<PromptTask> prompts,
      List<Rejection> rejections,
      Map<TopicPartition, OffsetAndMetadata> offsets) {
    ProducerRecord<byte[], byte[]> eventRecord = encoding.event(event);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    records.add(eventRecord);
    records.addAll(snapshot);
    prompts.forEach(prompt -> records.add(encoding.prompt(prompt)));
    for (Rejection rejection : rejections) {
      records.add(encoding.deadLetter(header.runId(), rejection, clock.millis()));
    }
    return new PreparedEvent(event, EventHash.of(eventRecord.value()), records, offsets);
  }

  /** The definition that this composer's events are made under. */
  RunDefinition definition() {
    return header.definition();
  }

  /** The records of a snapshot. */
  List<ProducerRecord<byte[], byte[]>> snapshot(long version, long step, byte[] weights) {
    return encoding.snapshot(version, step, weights);
  }

  private static List<DispatchedGroup> dispatched(List<PromptTask> prompts) {
    return prompts.stream()
        .map(
            prompt ->
                DispatchedGroup.newBuilder()
                    .setGroupId(prompt.getGroupId())
                    .setAttempt(prompt.getAttempt())
                    .setPolicyVersion(prompt.getMinPolicyVersion())
                    .build())
        .toList();
  }

  private static List<WindowEntry> entries(Window window) {
    List<WindowEntry> entries = new ArrayList<>();
    for (TrainingGroup group : window.groups()) {
      entries.add(
          WindowEntry.newBuilder()
              .setPartition(group.coordinate().partition())
              .setRecordOffset(group.coordinate().recordOffset())
              .setGroupId(group.groupId())
              .setAttempt(group.attempt())
              .setPolicyVersion(group.policyVersion())
              .build());
    }
    return entries;
  }
}
