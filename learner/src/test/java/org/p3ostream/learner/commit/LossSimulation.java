package org.p3ostream.learner.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.good;
import static org.p3ostream.learner.window.RolloutGroups.withResponse;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.dispatch.DispatchDeadlines;
import org.p3ostream.learner.dispatch.ManifestOffsets;
import org.p3ostream.learner.dispatch.PromptComposer;
import org.p3ostream.learner.dispatch.PromptSchedule;
import org.p3ostream.learner.dispatch.TopUps;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * A learner's bookkeeping against producers that lose prompts, answer late, twice, in any order or
 * with broken content, over offsets with gaps; now and then the learner starts again from its
 * ledger. Without a broker and without a clock that runs.
 */
final class LossSimulation {

  private static final int GROUPS = 3;
  private static final int PARTITIONS = 2;
  private static final int WINDOWS = 12;
  private static final long TIMEOUT_MS = 1_000;
  private static final TopicCatalogue TOPICS = new TopicCatalogue("t.");
  private static final PhaseDurations PHASES = new PhaseDurations(0d, 0d, 0d, 0d, 0d, 0d);
  private static final DispatchConfig DISPATCH = new DispatchConfig(GROUPS, 1, 2, 0, 1, true);

  private record Answer(long atMs, RolloutGroup group) {}

  private record Stored(long recordOffset, RolloutGroup group) {}

  private final SplittableRandom random;
  private final String seed;
  private final int maxTopUps;
  private final RecordCodec codec = InMemorySerde.codec();
  private final List<List<Stored>> log = List.of(new ArrayList<>(), new ArrayList<>());
  private final long[] ends = new long[PARTITIONS];
  private final PriorityQueue<Answer> underWay =
      new PriorityQueue<>((a, b) -> Long.compare(a.atMs(), b.atMs()));
  private final List<PreparedEvent> committed = new ArrayList<>();
  private final int[] read = new int[PARTITIONS];
  private final EventComposer composer = composer();
  private LedgerState ledger = new LedgerState(RolloutGroups.RUN_ID, GROUPS);
  private DispatchDeadlines deadlines = new DispatchDeadlines(TIMEOUT_MS);
  private Intake intake = intake();
  private long nowMs;

  LossSimulation(long seed, int maxTopUps) {
    this.random = new SplittableRandom(seed);
    this.seed = "seed " + seed + ", " + maxTopUps + " top-ups";
    this.maxTopUps = maxTopUps;
  }

  void run() {
    commit(composer.genesis(ledger, weights(), WINDOWS, Map.of(), PHASES));
    for (int turn = 0; ledger.nextWindow() < WINDOWS; turn++) {
      assertThat(turn).as("%s: stuck at window %d", seed, ledger.nextWindow()).isLessThan(20_000);
      nowMs += random.nextInt(100);
      arrive();
      boolean caughtUp = read();
      topUp(caughtUp);
      if (intake.isComplete(ledger.nextWindow())) {
        settle(intake.take(ledger.nextWindow()));
      }
      if (random.nextInt(40) == 0) {
        restart();
      }
    }
    requireOneEndForEveryGroup();
    requireOneFateForEveryRecord();
    requireDispatchesInBounds();
  }

  private void topUp(boolean caughtUp) {
    List<Long> lost =
        caughtUp ? deadlines.expired(nowMs).stream().filter(intake::isAwaited).toList() : List.of();
    if (!lost.isEmpty() || intake.replacementDue()) {
      TopUps.Plan plan =
          new TopUps(maxTopUps).plan(ledger.dispatched(), intake.drainReplacements(), lost);
      commit(composer.interim(ledger, intake, plan, PHASES));
    }
  }

  private void settle(Window window) {
    commit(
        window.groups().isEmpty()
            ? composer.noOp(ledger, intake, window, PHASES)
            : composer.step(
                ledger, intake, window, EventComposerTest.trained(), weights(), PHASES));
  }

  private void commit(PreparedEvent prepared) {
    ledger.apply(prepared.event(), prepared.eventHash());
    deadlines.observe(ledger.dispatched(), nowMs);
    committed.add(prepared);
    for (ProducerRecord<byte[], byte[]> record : prepared.records()) {
      if (((Decoded.Accepted) codec.decode(record.topic(), record.value())).record()
          instanceof PromptTask task) {
        serve(task);
      }
    }
  }

  /** One prompt in five is lost, one answer in five is broken, one in five comes twice. */
  private void serve(PromptTask task) {
    if (random.nextInt(5) == 0) {
      return;
    }
    RolloutGroup group =
        good(
            task.getGroupId(),
            task.getAttempt(),
            task.getWindowIndex(),
            task.getExactPolicyVersion());
    if (random.nextInt(5) == 0) {
      group = withResponse(group, 0, response -> response.setReward(Double.NaN));
    }
    for (int copies = random.nextInt(5) == 0 ? 2 : 1; copies > 0; copies--) {
      boolean late = random.nextInt(10) == 0;
      underWay.add(
          new Answer(nowMs + random.nextLong(late ? 4 * TIMEOUT_MS : TIMEOUT_MS / 2), group));
    }
  }

  private void arrive() {
    while (!underWay.isEmpty() && underWay.peek().atMs() <= nowMs) {
      int partition = random.nextInt(PARTITIONS);
      ends[partition] += random.nextInt(3); // markers and aborted records
      log.get(partition).add(new Stored(ends[partition]++, underWay.remove().group()));
    }
  }

  /** Reads some of what is there; true if that is all of it. */
  private boolean read() {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Stored> records = log.get(partition);
      int end = random.nextInt(read[partition], records.size() + 1);
      for (; read[partition] < end; read[partition]++) {
        Stored record = records.get(read[partition]);
        intake.accept(
            new RolloutCoordinate(partition, record.recordOffset()),
            1,
            new Decoded.Accepted(record.group()),
            ledger.policyVersion());
      }
    }
    return read[0] == log.get(0).size() && read[1] == log.get(1).size();
  }

  /** All but the log is gone. */
  private void restart() {
    ledger = new LedgerState(RolloutGroups.RUN_ID, GROUPS);
    committed.forEach(prepared -> ledger.apply(prepared.event(), prepared.eventHash()));
    deadlines = new DispatchDeadlines(TIMEOUT_MS);
    deadlines.observe(ledger.dispatched(), nowMs);
    intake = intake();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long next = intake.cursor(partition).nextOffset();
      read[partition] =
          (int) log.get(partition).stream().filter(r -> r.recordOffset() < next).count();
    }
  }

  private Stream<StepEvent> events() {
    return committed.stream().map(PreparedEvent::event);
  }

  private void requireOneEndForEveryGroup() {
    List<StepEvent> settling =
        events()
            .filter(e -> e.getKind() == StepKind.STEP || e.getKind() == StepKind.NO_OP)
            .toList();
    assertThat(settling).as(seed).hasSize(WINDOWS);
    for (StepEvent event : settling) {
      List<Long> ended =
          Stream.concat(
                  event.getWindow().stream().map(WindowEntry::getGroupId),
                  event.getMissingGroups().stream())
              .sorted()
              .toList();
      long first = event.getStep() * GROUPS;
      assertThat(ended)
          .as("%s, window %d", seed, event.getStep())
          .containsExactlyElementsOf(LongStream.range(first, first + GROUPS).boxed().toList());
    }
  }

  private void requireOneFateForEveryRecord() {
    Map<RolloutCoordinate, Integer> fates = new HashMap<>();
    events()
        .forEach(
            event -> {
              for (WindowEntry entry : event.getWindow()) {
                fates.merge(
                    new RolloutCoordinate(entry.getPartition(), entry.getRecordOffset()),
                    1,
                    Integer::sum);
              }
              for (SkippedRecord record : event.getSkipped()) {
                fates.merge(
                    new RolloutCoordinate(record.getPartition(), record.getRecordOffset()),
                    1,
                    Integer::sum);
              }
            });
    assertThat(fates.values()).as(seed).containsOnly(1);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long next = intake.cursor(partition).nextOffset();
      for (Stored record : log.get(partition)) {
        if (record.recordOffset() < next) {
          assertThat(fates)
              .as(seed)
              .containsKey(new RolloutCoordinate(partition, record.recordOffset()));
        }
      }
    }
  }

  /** No group more often than allowed; the same attempt again only after its time, ever longer. */
  private void requireDispatchesInBounds() {
    Map<Long, Integer> dispatches = new HashMap<>();
    Map<Long, DispatchedGroup> latest = new HashMap<>();
    Map<Long, Long> latestMs = new HashMap<>();
    events()
        .forEach(
            event -> {
              for (DispatchedGroup group : event.getDispatched()) {
                long groupId = group.getGroupId();
                DispatchedGroup before = latest.put(groupId, group);
                int topUps = dispatches.merge(groupId, 1, Integer::sum) - 1;
                Long beforeMs = latestMs.put(groupId, event.getCommittedAt());
                if (before != null && before.getAttempt() == group.getAttempt()) {
                  assertThat(event.getCommittedAt() - beforeMs)
                      .as("%s, group %d, top-up %d", seed, groupId, topUps)
                      .isGreaterThanOrEqualTo(TIMEOUT_MS << (topUps - 1));
                }
                if (before != null) {
                  assertThat(group.getPolicyVersion()).isEqualTo(before.getPolicyVersion());
                }
              }
              if (event.getKind() == StepKind.INTERIM) {
                for (long groupId : event.getMissingGroups()) {
                  assertThat(dispatches.get(groupId)).as(seed).isEqualTo(maxTopUps + 1);
                }
              }
            });
    assertThat(dispatches.values()).as(seed).allMatch(count -> count <= maxTopUps + 1);
  }

  private Intake intake() {
    Map<Integer, PartitionCursor> cursors = new TreeMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      cursors.put(partition, new PartitionCursor(0, List.of()));
    }
    ledger.progress().forEach(p -> cursors.put(p.getPartition(), PartitionCursor.after(p)));
    return new Intake(
        RolloutGroups.RUN_ID,
        RolloutGroups.contract(),
        DynamicSampling.OFF,
        ledger.dispatched(),
        GROUPS,
        true,
        cursors);
  }

  private EventComposer composer() {
    return new EventComposer(
        new EventHeader(RolloutGroups.RUN_ID, RunDefinition.parse("{}"), "p3o/step/proxy", 1),
        new EventRecords(
            TOPICS,
            codec,
            new SnapshotEncoder(RolloutGroups.RUN_ID, RolloutGroups.MODEL_HASH, List.of())),
        new PromptComposer(
            DISPATCH,
            new PromptSchedule(
                new RunConfig(RolloutGroups.RUN_ID, 1, "t."),
                SamplingConfig.defaults(),
                List.of(
                    new PromptDataset(
                        "train", "exact-match", 1, SyntheticTask.SORT8.generate(20, 1))),
                GROUPS),
            new ManifestOffsets(java.util.OptionalLong::of)),
        new Clock() {
          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }

          @Override
          public Instant instant() {
            return Instant.ofEpochMilli(nowMs);
          }
        });
  }

  private static byte[] weights() {
    return WeightsDigest.toBytes(new float[] {1, 2});
  }
}
