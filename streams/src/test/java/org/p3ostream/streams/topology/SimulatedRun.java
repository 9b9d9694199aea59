package org.p3ostream.streams.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.streams.fixture.Records;

/**
 * The facts of a run, per partition in their order: groups of several producers and tasks that come
 * late, twice or not at all, windows trained two behind what is dispatched, and offsets with holes.
 */
final class SimulatedRun {
  static final int PARTITIONS = 4;
  static final int GROUPS = 8;
  private static final int AHEAD = 2;

  /** Rollouts of each partition, then the ledger. */
  final List<List<Fact>> logs = new ArrayList<>();

  private final Random random;
  private final int producers;
  private final Map<Integer, Long> nextOffsets = new HashMap<>();
  private final Map<Long, Coordinate> places = new HashMap<>();
  private final List<Coordinate> duplicates = new ArrayList<>();
  private final Map<Integer, TreeSet<Long>> consumed = new HashMap<>();
  private long now = Records.NOW;
  private long ledgerOffset;

  SimulatedRun(long seed, int windows, int producers) {
    this.random = new Random(seed);
    this.producers = producers;
    for (int log = 0; log <= PARTITIONS; log++) {
      logs.add(new ArrayList<>());
    }
    commit(Records.event(StepKind.GENESIS, -1).setDispatched(dispatched(0, AHEAD)));
    for (int window = 0; window < AHEAD && window < windows; window++) {
      publish(window);
    }
    for (int window = 0; window < windows; window++) {
      if (window + AHEAD < windows) {
        publish(window + AHEAD);
      }
      train(window);
    }
  }

  /** All facts in some order that keeps the order of each partition. */
  List<Fact> interleaved(long seed) {
    Random order = new Random(seed);
    List<Deque<Fact>> left = new ArrayList<>();
    logs.forEach(log -> left.add(new ArrayDeque<>(log)));
    List<Fact> facts = new ArrayList<>();
    while (true) {
      List<Deque<Fact>> some = left.stream().filter(log -> !log.isEmpty()).toList();
      if (some.isEmpty()) {
        return facts;
      }
      Deque<Fact> next = some.get(order.nextInt(some.size()));
      for (int burst = order.nextInt(30); burst >= 0 && !next.isEmpty(); burst--) {
        facts.add(next.remove());
      }
    }
  }

  private void publish(int window) {
    List<Long> groups = new ArrayList<>();
    for (int slot = 0; slot < GROUPS; slot++) {
      groups.add((long) window * GROUPS + slot);
    }
    Collections.shuffle(groups, random);
    for (long group : groups) {
      places.put(group, publish(group, window));
      if (random.nextInt(10) == 0) {
        duplicates.add(publish(group, window));
      }
    }
  }

  private Coordinate publish(long groupId, int window) {
    now += random.nextInt(2_000);
    int partition = (int) (groupId % PARTITIONS);
    long offset = nextOffsets.merge(partition, 1L + random.nextInt(3), Long::sum);
    Coordinate at = new Coordinate(partition, offset);
    RolloutGroup group =
        RolloutGroup.newBuilder(Records.rollout(groupId, 0, random.nextInt(2), 1, 0.3))
            .setWindowIndex(window)
            .setPromptId("task-" + groupId % 3 + ":" + groupId)
            .setProducerId("producer-" + random.nextInt(producers))
            .setGeneratedAt(now - random.nextInt(3_000))
            .build();
    logs.get(partition).add(RolloutFact.of(at, now, group));
    return at;
  }

  private void train(int window) {
    now += 500;
    List<WindowEntry> entries = new ArrayList<>();
    for (int slot = 0; slot < GROUPS; slot++) {
      long group = (long) window * GROUPS + slot;
      Coordinate at = places.get(group);
      entries.add(new WindowEntry(at.partition(), at.recordOffset(), group, 0, 0L));
    }
    List<SkippedRecord> skipped =
        duplicates.stream()
            .map(
                at ->
                    new SkippedRecord(at.partition(), at.recordOffset(), RejectionReason.DUPLICATE))
            .toList();
    entries.forEach(
        entry -> consumed(new Coordinate(entry.getPartition(), entry.getRecordOffset())));
    duplicates.forEach(this::consumed);
    duplicates.clear();
    commit(
        Records.step(window)
            .setWindow(entries)
            .setSkipped(skipped)
            .setProgress(progress())
            .setDispatched(dispatched(window + AHEAD, 1))
            .setRatioStatistics(
                List.of(
                    new VersionRatioStatistics(
                        Math.max(0L, window - 1L),
                        random.nextDouble(),
                        random.nextDouble() + 1,
                        20L),
                    new VersionRatioStatistics((long) window, 2.9, 3.1, 4L))));
  }

  private void consumed(Coordinate at) {
    consumed.computeIfAbsent(at.partition(), unused -> new TreeSet<>()).add(at.recordOffset());
  }

  /** As the learner records it: a prefix without a visible record that is not consumed, ranges. */
  private List<PartitionProgress> progress() {
    List<PartitionProgress> progress = new ArrayList<>();
    consumed.forEach(
        (partition, offsets) -> {
          long next = 0;
          for (Fact fact : logs.get(partition)) {
            long offset = ((RolloutFact) fact).at().recordOffset();
            if (!offsets.contains(offset)) {
              break;
            }
            next = offset + 1;
          }
          List<OffsetRange> ranges =
              offsets.tailSet(next).stream()
                  .map(offset -> new OffsetRange(offset, offset))
                  .toList();
          progress.add(new PartitionProgress(partition, next, List.of(), ranges));
        });
    return progress;
  }

  private List<DispatchedGroup> dispatched(int fromWindow, int windows) {
    List<DispatchedGroup> groups = new ArrayList<>();
    for (long group = (long) fromWindow * GROUPS;
        group < (long) (fromWindow + windows) * GROUPS;
        group++) {
      groups.add(new DispatchedGroup(group, 0, 0L));
    }
    return groups;
  }

  private void commit(StepEvent.Builder event) {
    ledgerOffset += 2;
    now += 1;
    logs.get(PARTITIONS)
        .add(LedgerFact.of(ledgerOffset, event.setCommittedAt(now - 1).build(), now));
  }
}
