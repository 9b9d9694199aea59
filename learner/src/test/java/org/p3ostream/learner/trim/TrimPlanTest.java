package org.p3ostream.learner.trim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordTypes;

class TrimPlanTest {

  private static final String ROLLOUTS = "t.rollouts";

  static {
    RecordTypes.schemas();
  }

  /**
   * Random runs with aborted records between, rejected ones, groups that arrive early, versions
   * newer than asked for, windows without a valid token, checkpoints of which some are kept, trims
   * at random: after each trim nothing that is needed lies below it, and everything that lies above
   * it begins with something needed.
   */
  @Test
  void aTrimKeepsWhatIsNeededAndNoMore() {
    int trims = 0;
    for (long seed = 0; seed < 300; seed++) {
      trims += new SimulatedRun(seed).play();
    }
    assertThat(trims).isGreaterThan(300);
  }

  private static final class SimulatedRun {
    private final SplittableRandom random;
    private final String seed;
    private final int groupsPerWindow;
    private final int maxStaleness;
    private final int versionsBack;
    private final int checkpointEvery;
    private final int checkpointsKept;
    private final int keepWindows;
    private final LedgerState ledger;
    private final TrimBook book = new TrimBook(ROLLOUTS);
    private final Map<Integer, PartitionCursor> cursors = new TreeMap<>();
    private final long[] ends = new long[3];
    private final Map<Long, WindowEntry> arrived = new HashMap<>(); // by group, not trained yet
    private final Map<Long, Long> asked = new TreeMap<>(); // version asked for, by group
    private final Map<Long, List<WindowEntry>> trained = new TreeMap<>(); // by window
    private final Deque<String> checkpoints = new ArrayDeque<>(); // hashes of their events
    private final Map<Integer, Long> cuts = new HashMap<>();
    private int hashes;
    private int trims;

    SimulatedRun(long seed) {
      this.random = new SplittableRandom(seed);
      this.seed = "seed " + seed;
      this.groupsPerWindow = 1 + random.nextInt(3);
      this.maxStaleness = random.nextInt(4);
      this.checkpointEvery = 1 + random.nextInt(5);
      this.checkpointsKept = 1 + random.nextInt(3);
      this.keepWindows = random.nextInt(4);
      this.versionsBack = random.nextInt(4);
      this.ledger = new LedgerState("run", groupsPerWindow);
      ledger.tell(book::add);
      for (int partition = 0; partition < ends.length; partition++) {
        cursors.put(partition, new PartitionCursor(0, List.of()));
      }
    }

    int play() {
      apply(
          event(StepKind.GENESIS, -1)
              .setDispatched(dispatch(0, (maxStaleness + 1) * groupsPerWindow, 0)));
      while (ledger.nextWindow() < 40) {
        arrive();
        step();
        if (ledger.nextWindow() % checkpointEvery == 0) {
          checkpoints.add(ledger.lastEventHash());
          if (checkpoints.size() > checkpointsKept) {
            checkpoints.remove();
          }
        }
        if (random.nextInt(4) == 0) {
          trim();
        }
      }
      return trims;
    }

    /**
     * Groups of the next window at least; some of later ones, some rejected records, some holes.
     */
    private void arrive() {
      long due = (ledger.nextWindow() + 1) * groupsPerWindow;
      List<Long> missing = new ArrayList<>();
      for (long group : asked.keySet()) {
        if (!arrived.containsKey(group) && (group < due || random.nextInt(3) == 0)) {
          missing.add(group);
        }
      }
      while (!missing.isEmpty()) {
        int partition = random.nextInt(ends.length);
        ends[partition] += random.nextInt(3);
        long offset = ends[partition]++;
        cursors.get(partition).observe(offset);
        if (random.nextInt(4) == 0) {
          cursors.get(partition).settle(offset); // rejected
        } else {
          long group = missing.remove(random.nextInt(missing.size()));
          long oldest = Math.max(0, asked.get(group) - versionsBack);
          long version = random.nextLong(oldest, ledger.policyVersion() + 1);
          arrived.put(group, new WindowEntry(partition, offset, group, 0, version));
        }
      }
    }

    private void step() {
      long window = ledger.nextWindow();
      boolean updates = random.nextInt(5) > 0;
      List<WindowEntry> entries = new ArrayList<>();
      for (int slot = 0; slot < groupsPerWindow; slot++) {
        long group = window * groupsPerWindow + slot;
        WindowEntry entry = arrived.remove(group);
        asked.remove(group);
        cursors.get(entry.getPartition()).settle(entry.getRecordOffset());
        entries.add(entry);
      }
      trained.put(window, entries);
      long version = ledger.policyVersion() + (updates ? 1 : 0);
      List<PartitionProgress> progress = new ArrayList<>();
      cursors.forEach((partition, cursor) -> progress.add(cursor.progress(partition)));
      apply(
          event(updates ? StepKind.STEP : StepKind.NO_OP, window)
              .setPolicyVersionAfter(version)
              .setWindow(entries)
              .setProgress(progress)
              .setDispatched(
                  dispatch(
                      (window + maxStaleness + 1) * groupsPerWindow, groupsPerWindow, version)));
    }

    private List<DispatchedGroup> dispatch(long first, int count, long version) {
      List<DispatchedGroup> groups = new ArrayList<>();
      for (long group = first; group < first + count; group++) {
        asked.put(group, version);
        groups.add(new DispatchedGroup(group, 0, null));
      }
      return groups;
    }

    private void trim() {
      Long oldest =
          checkpoints.stream().map(book::windowsBefore).min(Comparator.naturalOrder()).orElse(null);
      assertThat(oldest == null).as(seed).isEqualTo(checkpoints.isEmpty());
      Optional<TrimPlan> plan =
          oldest == null
              ? Optional.empty()
              : TrimPlan.of(book, ledger, oldest, keepWindows, dispatch());
      if (plan.isEmpty()) {
        return;
      }
      trims++;
      requireTight(plan.get(), oldest);
      List<TrimmedPartition> trimmed = new ArrayList<>();
      plan.get()
          .rolloutsBefore()
          .forEach(
              (partition, before) -> {
                assertThat(before)
                    .as(seed)
                    .isGreaterThanOrEqualTo(cuts.getOrDefault(partition, 0L));
                cuts.put(partition, before);
                trimmed.add(new TrimmedPartition(ROLLOUTS, partition, before));
              });
      apply(
          event(StepKind.CONTROL, ledger.nextWindow())
              .setControl(new ControlChange(ControlKind.TRIM, "", trimmed)));
      assertThat((long) book.size())
          .as(seed)
          .isLessThanOrEqualTo(2 * (40 - oldest + keepWindows + 8));
      assertThat(checkpoints).as(seed).allMatch(hash -> book.windowsBefore(hash) != null);
    }

    private void requireTight(TrimPlan plan, long oldest) {
      long from = oldest - keepWindows;
      assertThat(plan.fromWindow()).as(seed).isEqualTo(from);
      assertThat(plan.firstGroup()).as(seed).isEqualTo(from * groupsPerWindow);
      List<WindowEntry> needed = new ArrayList<>(arrived.values());
      trained.forEach((window, entries) -> needed.addAll(window >= from ? entries : List.of()));
      plan.rolloutsBefore()
          .forEach(
              (partition, before) ->
                  assertThat(before)
                      .as("%s, partition %d", seed, partition)
                      .isEqualTo(
                          needed.stream()
                              .filter(entry -> entry.getPartition() == partition)
                              .mapToLong(WindowEntry::getRecordOffset)
                              .reduce(cursors.get(partition).nextOffset(), Math::min)));
      LongStream versions =
          LongStream.concat(
              needed.stream()
                  .filter(entry -> entry.getGroupId() < ledger.nextWindow() * groupsPerWindow)
                  .mapToLong(WindowEntry::getPolicyVersion),
              asked.values().stream().mapToLong(version -> Math.max(0, version - versionsBack)));
      long newest = Math.max(0, ledger.policyVersion() - versionsBack);
      assertThat(plan.snapshotVersion()).as(seed).isEqualTo(versions.reduce(newest, Math::min));
    }

    private DispatchConfig dispatch() {
      return new DispatchConfig(groupsPerWindow, maxStaleness, 1, versionsBack, 600, true);
    }

    private StepEvent.Builder event(StepKind kind, long step) {
      return StepEvent.newBuilder()
          .setKind(kind)
          .setRunId("run")
          .setStep(step)
          .setPolicyVersionBefore(ledger.policyVersion())
          .setPolicyVersionAfter(ledger.policyVersion())
          .setWindow(List.of())
          .setSkipped(List.of())
          .setProgress(List.of())
          .setDispatched(List.of())
          .setAlgorithm("p3o")
          .setRatioStatistics(List.of())
          .setWeightsSha256("")
          .setConfigHash("")
          .setPreviousEventHash(hashes == 0 ? EventHash.NONE : "hash-" + hashes)
          .setPhases(new PhaseDurations(0d, 0d, 0d, 0d, 0d, 0d))
          .setLearnerEpoch(1)
          .setCommittedAt(0);
    }

    private void apply(StepEvent.Builder event) {
      ledger.apply(event.build(), "hash-" + ++hashes);
    }
  }

  @Test
  void nothingIsTrimmedBeforeTheWindowsThatAreKeptForPeopleAreOver() {
    SimulatedRun run = new SimulatedRun(1);
    assertThat(TrimPlan.of(run.book, run.ledger, 3, 3, run.dispatch())).isEmpty();
    assertThat(TrimPlan.of(run.book, run.ledger, 0, 0, run.dispatch())).isEmpty();
  }

  @Test
  void aCheckpointOfAnotherLedgerIsNotKnown() {
    SimulatedRun run = new SimulatedRun(1);
    run.play();
    assertThat(run.book.windowsBefore("of another ledger")).isNull();
  }
}
