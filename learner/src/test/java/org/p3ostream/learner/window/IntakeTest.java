package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.learner.window.RolloutGroups.good;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.progress.ConsumedOffsets;
import org.p3ostream.schemas.serde.Decoded;

class IntakeTest {

  private static final int GROUPS_PER_WINDOW = 2;
  private static final int PARTITIONS = 2;

  private final DispatchBook book = new DispatchBook();
  private final Intake intake = intake(book, RolloutGroups.contract());
  private long nextOffset;

  IntakeTest() {
    for (long groupId = 0; groupId < 4; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
  }

  @Test
  void takeHandsOutACompleteWindowInGroupOrderAndSettlesIt() {
    accept(good(1, 0, 0, 0));
    assertThat(intake.isComplete(0)).isFalse();
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
    accept(good(2, 0, 1, 0));
    accept(good(0, 0, 0, 0));
    assertThat(intake.isComplete(0)).isTrue();
    assertThat(intake.isComplete(1)).isFalse();
    assertThat(intake.cursor(0).nextOffset()).isZero();

    Window window = intake.take(0);
    assertThat(window.index()).isZero();
    assertThat(window.groups()).extracting(TrainingGroup::groupId).containsExactly(0L, 1L);
    assertThat(intake.cursor(0).nextOffset()).isEqualTo(1); // group 2 is outstanding
    assertThat(intake.cursor(0).consumedAhead()).containsExactly(new OffsetRange(2L, 2L));
    assertThat(book.openGroups()).isEqualTo(2);
    assertThat(intake.admittedGroups(0)).isZero();
    assertThat(intake.admittedGroups(1)).isEqualTo(1);
    assertThat(intake.drainRejections()).isEmpty();
  }

  @Test
  void takeRefusesAnIncompleteWindow() {
    accept(good(0, 0, 0, 0));
    assertThatThrownBy(() -> intake.take(0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("window 0");
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
  }

  @Test
  void acceptRejectsBytesThatCouldNotBeDecoded() {
    intake.accept(
        new RolloutCoordinate(1, 4),
        123,
        new Decoded.Rejected(RejectionReason.UNDECODABLE, "no wire format"),
        0);
    assertThat(intake.pendingRejections()).isEqualTo(1);
    assertThat(intake.drainRejections())
        .containsExactly(
            new Rejection(
                new RolloutCoordinate(1, 4),
                RejectionReason.UNDECODABLE,
                null,
                "no wire format",
                null,
                123));
    assertThat(intake.pendingRejections()).isZero();
    assertThat(intake.cursor(1).nextOffset()).isEqualTo(5);
  }

  @Test
  void acceptRejectsARecordOfAnotherType() {
    DeadLetter other =
        DeadLetter.newBuilder()
            .setRunId("run-a")
            .setSourceTopic("rollouts")
            .setSourcePartition(0)
            .setSourceOffset(0)
            .setReason(RejectionReason.STALE)
            .setCause("")
            .setValueBytes(0)
            .setRejectedAt(0)
            .build();
    intake.accept(new RolloutCoordinate(0, 0), 9, new Decoded.Accepted(other), 0);
    assertRejected(RejectionReason.WRONG_RECORD_TYPE, null);
  }

  @Test
  void acceptRejectsAnotherRun() {
    accept(RolloutGroup.newBuilder(good(0, 0, 0, 0)).setRunId("run-b").build());
    assertRejected(RejectionReason.FOREIGN_RUN, "runId");
    assertThat(intake.replacementDue()).isFalse();
  }

  @Test
  void acceptRejectsGroupsThatNobodyDispatched() {
    accept(good(4, 0, 2, 0));
    assertRejected(RejectionReason.NOT_DISPATCHED, "groupId");
    accept(good(-1, 0, 0, 0));
    assertRejected(RejectionReason.NOT_DISPATCHED, "groupId");
    accept(good(0, 1, 0, 0));
    assertRejected(RejectionReason.NOT_DISPATCHED, "attempt");
    accept(good(0, -1, 0, 0));
    assertRejected(RejectionReason.NOT_DISPATCHED, "attempt");
    accept(good(0, 0, 1, 0)); // another window than the group's
    assertRejected(RejectionReason.NOT_DISPATCHED, "groupId");
    assertThat(intake.replacementDue()).isFalse();
    assertThat(intake.admittedGroups(0)).isZero();
  }

  @Test
  void acceptHasAGroupReplacedOfWhichTooFewResponsesCameToAnEnd() {
    accept(RolloutGroups.withResponse(good(0, 0, 0, 0), 1, RolloutGroups::abort));
    assertRejected(RejectionReason.ABORTED, "responses");
    assertThat(intake.admittedGroups(0)).isZero();
    assertThat(intake.drainReplacements()).containsExactly(0L);
  }

  @Test
  void acceptHasAGroupOfEqualRewardsReplacedUntilItsLastAttempt() {
    Intake dapo = intake(book, RolloutGroups.contract(), new DynamicSampling(3));
    for (int attempt = 0; attempt < 2; attempt++) {
      dapo.accept(new RolloutCoordinate(0, attempt), 10, accepted(ofEqualRewards(0, attempt)), 0);
      Rejection rejection = dapo.drainRejections().get(0);
      assertThat(rejection.reason()).isEqualTo(RejectionReason.ZERO_VARIANCE);
      assertThat(rejection.field()).isEqualTo("responses[].reward");
      assertThat(rejection.cause())
          .isEqualTo("all are 1.0: no advantage in attempt %d of 3".formatted(attempt + 1));
      assertThat(dapo.admittedGroups(0)).isZero();
      assertThat(dapo.drainReplacements()).containsExactly(0L);
      book.dispatch(0, attempt + 1, 0);
    }
    dapo.accept(new RolloutCoordinate(0, 2), 10, accepted(ofEqualRewards(0, 2)), 0);
    dapo.accept(new RolloutCoordinate(0, 3), 10, accepted(good(1, 0, 0, 0)), 0);
    assertThat(dapo.drainRejections()).isEmpty();
    assertThat(dapo.take(0).groups())
        .satisfiesExactly(
            last -> {
              assertThat(last.attempt()).isEqualTo(2);
              assertThat(last.advantages()).containsExactly(0, 0);
            },
            first -> assertThat(first.attempt()).isZero());
  }

  @Test
  void acceptTakesAGroupOfEqualRewardsWithoutDynamicSampling() {
    accept(ofEqualRewards(0, 0));
    assertThat(intake.drainRejections()).isEmpty();
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
  }

  @Test
  void acceptRejectsTheSecondOfTwoGroupsAsDuplicate() {
    accept(good(0, 0, 0, 0));
    accept(good(0, 0, 0, 0));
    assertRejected(RejectionReason.DUPLICATE, "groupId");
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
    assertThat(intake.replacementDue()).isFalse();
  }

  @Test
  void acceptRejectsAGroupOfASettledWindowAsDuplicate() {
    accept(good(0, 0, 0, 0));
    accept(good(1, 0, 0, 0));
    intake.take(0);
    accept(good(1, 0, 0, 0));
    assertRejected(RejectionReason.DUPLICATE, "groupId");
  }

  @Test
  void acceptAsksForAReplacementWhenTheContentBreaksTheContract() {
    accept(broken(1, 0));
    assertThat(intake.replacementDue()).isTrue();
    List<Rejection> rejections = intake.drainRejections();
    assertThat(rejections).hasSize(1);
    assertThat(rejections.get(0).reason()).isEqualTo(RejectionReason.NON_FINITE);
    assertThat(rejections.get(0).field()).isEqualTo("responses[0].reward");
    assertThat(rejections.get(0).origin()).isEqualTo(new Rejection.Origin(1, 0, "producer-1"));
    accept(good(1, 0, 0, 0)); // the same attempt again is of no use: its replacement is due
    assertRejected(RejectionReason.DUPLICATE, "groupId");

    assertThat(intake.drainReplacements()).containsExactly(1L);
    assertThat(intake.replacementDue()).isFalse();
    book.dispatch(1, 1, 0);
    accept(good(1, 0, 0, 0));
    assertRejected(RejectionReason.SUPERSEDED, "attempt");
    accept(good(1, 1, 0, 0));
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
  }

  @Test
  void windowIsCompleteWithoutTheGroupsThatWereGivenUp() {
    book.giveUp(1);
    book.giveUp(2);
    assertThat(intake.isComplete(0)).isFalse();
    accept(good(1, 0, 0, 0));
    assertRejected(RejectionReason.SUPERSEDED, "groupId");
    accept(good(0, 0, 0, 0));
    assertThat(intake.isComplete(0)).isTrue();
    Window window = intake.take(0);
    assertThat(window.groups()).extracting(TrainingGroup::groupId).containsExactly(0L);
    assertThat(window.missingGroups()).containsExactly(1L);
    assertThat(intake.isComplete(1)).isFalse();
    book.giveUp(3);
    assertThat(intake.take(1).groups()).isEmpty();
  }

  @Test
  void isAwaitedUntilARecordOfTheLatestAttemptHasCome() {
    assertThat(intake.isAwaited(0)).isTrue();
    accept(good(0, 0, 0, 0));
    assertThat(intake.isAwaited(0)).isFalse();
    accept(broken(1, 0));
    assertThat(intake.isAwaited(1)).isFalse(); // its replacement is due
    intake.drainReplacements();
    book.dispatch(1, 1, 0);
    assertThat(intake.isAwaited(1)).isTrue();
    book.giveUp(1);
    assertThat(intake.isAwaited(1)).isFalse();
    assertThat(intake.isAwaited(99)).isFalse();
  }

  @Test
  void acceptTakesTheVersionAskedForFromTheDispatch() {
    book.dispatch(4, 0, 3);
    accept(good(4, 0, 2, 2), 9);
    assertRejected(
        RejectionReason.WRONG_POLICY_VERSION, "responses[0].versionSegments[0].policyVersion");
    Intake free =
        new Intake(
            RolloutGroups.RUN_ID,
            RolloutGroups.contract(),
            DynamicSampling.OFF,
            book,
            GROUPS_PER_WINDOW,
            false,
            Map.of(0, new PartitionCursor(0, List.of())));
    free.accept(new RolloutCoordinate(0, 0), 1, new Decoded.Accepted(good(4, 0, 2, 4)), 9);
    assertThat(free.admittedGroups(2)).isEqualTo(1);
  }

  @Test
  void acceptRejectsAVersionThatDoesNotExistYet() {
    RolloutGroup future =
        RolloutGroups.withResponse(
            good(0, 0, 0, 0), 0, b -> b.setVersionSegments(List.of(new VersionSegment(0, 2L))));
    accept(future, 1);
    assertRejected(
        RejectionReason.UNKNOWN_POLICY_VERSION, "responses[0].versionSegments[0].policyVersion");
  }

  @Test
  void acceptPassesOverRecordsSettledBeforeARestart() {
    Intake resumed =
        new Intake(
            RolloutGroups.RUN_ID,
            RolloutGroups.contract(),
            DynamicSampling.OFF,
            book,
            GROUPS_PER_WINDOW,
            true,
            Map.of(0, new PartitionCursor(3, List.of(new OffsetRange(5L, 5L)))));
    resumed.accept(new RolloutCoordinate(0, 5), 1, new Decoded.Accepted(good(0, 0, 0, 0)), 0);
    assertThat(resumed.admittedGroups(0)).isZero();
    assertThat(resumed.drainRejections()).isEmpty();
  }

  @Test
  void textsOfARecordAreCutHoweverLongTheyAre() {
    String huge = "語".repeat(1_000_000);
    accept(RolloutGroup.newBuilder(good(0, 0, 0, 0)).setRunId(huge).setProducerId(huge).build());
    assertThat(intake.drainRejections())
        .singleElement()
        .satisfies(
            rejection -> {
              assertThat(rejection.cause().length()).isLessThan(Excerpt.CAUSE_BYTES);
              assertThat(rejection.cause()).endsWith("characters)");
              assertThat(rejection.origin().producerId().length())
                  .isLessThan(Excerpt.PRODUCER_ID_BYTES);
              assertThat(rejection.toString().length()).isLessThan(1_500);
            });
    accept(RolloutGroup.newBuilder(good(0, 0, 0, 0)).setProducerId(huge).build());
    accept(good(1, 0, 0, 0));
    assertThat(intake.take(0).groups().get(0).producerId().length())
        .isLessThan(Excerpt.PRODUCER_ID_BYTES);
  }

  @Test
  void acceptRefusesAPartitionThatItDoesNotKnow() {
    assertThatThrownBy(
            () ->
                intake.accept(
                    new RolloutCoordinate(7, 0), 1, new Decoded.Accepted(good(0, 0, 0, 0)), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("partition 7");
  }

  /**
   * Random arrivals of good, broken, duplicate, superseded and stray records over two partitions,
   * windows taken as they complete, prompts dispatched as the ledger would: each record is settled
   * exactly once, trained once per group, and no progress passes an outstanding record.
   */
  @Test
  void everyRecordIsSettledOnceUnderRandomInterleavings() {
    for (long seed = 0; seed < 60; seed++) {
      new Interleaving(seed).run();
    }
  }

  private static final class Interleaving {
    private final SplittableRandom random;
    private final String seed;
    private final DispatchBook book = new DispatchBook();
    private final Intake intake = intake(book, RolloutGroups.contract());
    private final List<RolloutGroup> inFlight = new ArrayList<>();
    private final Map<RolloutCoordinate, String> fates = new HashMap<>();
    private final long[] ends = new long[PARTITIONS];
    private long nextWindow;

    Interleaving(long seed) {
      this.random = new SplittableRandom(seed);
      this.seed = "seed " + seed;
    }

    void run() {
      dispatch(0);
      dispatch(1);
      while (nextWindow < 12) {
        arrive();
        settleRejections();
        replace();
        while (intake.isComplete(nextWindow)) {
          take();
        }
        requireProgress();
      }
    }

    private void dispatch(long window) {
      for (int slot = 0; slot < GROUPS_PER_WINDOW; slot++) {
        long groupId = window * GROUPS_PER_WINDOW + slot;
        book.dispatch(groupId, 0, 0);
        publish(groupId, 0);
      }
    }

    /** Sometimes broken, sometimes twice, sometimes with a stray beside it. */
    private void publish(long groupId, int attempt) {
      long window = groupId / GROUPS_PER_WINDOW;
      int kind = random.nextInt(10);
      inFlight.add(kind < 3 ? broken(groupId, attempt) : good(groupId, attempt, window, 0));
      if (kind % 3 == 0) {
        inFlight.add(good(groupId, attempt, window, 0));
      }
      if (kind == 5) {
        inFlight.add(good(groupId + 1_000, attempt, window, 0));
      }
    }

    private void arrive() {
      assertThat(inFlight).as(seed).isNotEmpty();
      RolloutGroup group = inFlight.remove(random.nextInt(inFlight.size()));
      int partition = random.nextInt(PARTITIONS);
      ends[partition] += random.nextInt(3); // transaction markers
      RolloutCoordinate coordinate = new RolloutCoordinate(partition, ends[partition]++);
      fates.put(coordinate, "");
      intake.accept(coordinate, 10, new Decoded.Accepted(group), 0);
    }

    private void settleRejections() {
      for (Rejection rejection : intake.drainRejections()) {
        settle(rejection.coordinate(), rejection.reason().name());
      }
    }

    private void replace() {
      for (long groupId : intake.drainReplacements()) {
        int attempt = book.find(groupId).attempt() + 1;
        book.dispatch(groupId, attempt, 0);
        publish(groupId, attempt);
      }
    }

    private void take() {
      Window window = intake.take(nextWindow);
      assertThat(window.groups())
          .as(seed)
          .extracting(TrainingGroup::groupId)
          .containsExactly(nextWindow * 2, nextWindow * 2 + 1);
      window.groups().forEach(group -> settle(group.coordinate(), "trained"));
      nextWindow++;
      dispatch(nextWindow + 1);
    }

    private void settle(RolloutCoordinate coordinate, String fate) {
      assertThat(fates.put(coordinate, fate)).as("%s %s", seed, coordinate).isEmpty();
    }

    private void requireProgress() {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        ConsumedOffsets progress =
            new ConsumedOffsets(intake.cursor(partition).progress(partition));
        for (Map.Entry<RolloutCoordinate, String> entry : fates.entrySet()) {
          RolloutCoordinate coordinate = entry.getKey();
          if (coordinate.partition() == partition) {
            assertThat(progress.covers(coordinate.recordOffset()))
                .as("%s %s", seed, coordinate)
                .isEqualTo(!entry.getValue().isEmpty());
          }
        }
      }
    }
  }

  private static Intake intake(DispatchBook book, RolloutContract contract) {
    return intake(book, contract, DynamicSampling.OFF);
  }

  @Test
  void rejectStaleTakesOutGroupsWithATokenThatIsTooOld() {
    RolloutGroup mixed = // its newest token is fresh
        RolloutGroups.withResponse(
            good(1, 0, 0, 5),
            0,
            b ->
                b.setPolicyVersion(4)
                    .setVersionSegments(
                        List.of(new VersionSegment(0, 4L), new VersionSegment(2, 7L))));
    Intake free = intake(book, RolloutGroups.contract(), false);
    acceptInto(free, good(0, 0, 0, 5), 7);
    acceptInto(free, mixed, 7);
    acceptInto(free, good(2, 0, 1, 0), 7); // of a window that is not asked about
    assertThat(free.isComplete(0)).isTrue();
    free.rejectStale(0, 7, 3);
    assertThat(free.isComplete(0)).isTrue();
    free.rejectStale(0, 7, 2);
    assertThat(free.admittedGroups(0)).isEqualTo(1);
    assertThat(free.admittedGroups(1)).isEqualTo(1);
    assertThat(free.drainRejections())
        .containsExactly(
            new Rejection(
                new RolloutCoordinate(0, 1),
                RejectionReason.STALE,
                "responses[].policyVersion",
                "4, but window 0 is trained by version 7: 3 versions old, at most 2 are wanted",
                new Rejection.Origin(1, 0, "producer-1"),
                10));
    assertThat(free.cursor(0).consumedAhead()).containsExactly(new OffsetRange(1L, 1L));
  }

  @Test
  void staleGroupIsReplacedOnceAndItsCopyIsADuplicateUntilThen() {
    accept(good(0, 0, 0, 0));
    intake.rejectStale(0, 2, 1);
    intake.rejectStale(0, 2, 1);
    assertThat(intake.pendingRejections()).isEqualTo(1);
    assertThat(intake.isAwaited(0)).isFalse();
    accept(good(0, 0, 0, 0));
    assertThat(intake.drainRejections())
        .extracting(Rejection::reason)
        .containsExactly(RejectionReason.STALE, RejectionReason.DUPLICATE);
    assertThat(intake.replacementDue()).isTrue();
    assertThat(intake.drainReplacements()).isEmpty();
    assertThat(intake.drainStale()).containsExactly(0L);
    assertThat(intake.replacementDue()).isFalse();
    book.dispatch(0, 1, 2);
    assertThat(intake.isAwaited(0)).isTrue();
    accept(good(0, 0, 0, 0));
    assertRejected(RejectionReason.SUPERSEDED, "attempt");
    accept(good(0, 1, 0, 2), 2);
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
    intake.rejectStale(0, 2, 1);
    assertThat(intake.admittedGroups(0)).isEqualTo(1);
  }

  private void acceptInto(Intake other, RolloutGroup group, long currentVersion) {
    other.accept(
        new RolloutCoordinate(0, nextOffset++), 10, new Decoded.Accepted(group), currentVersion);
  }

  private static Intake intake(DispatchBook book, RolloutContract contract, boolean lockstep) {
    return intake(book, contract, DynamicSampling.OFF, lockstep);
  }

  private static Intake intake(
      DispatchBook book, RolloutContract contract, DynamicSampling dynamicSampling) {
    return intake(book, contract, dynamicSampling, true);
  }

  private static Intake intake(
      DispatchBook book,
      RolloutContract contract,
      DynamicSampling dynamicSampling,
      boolean lockstep) {
    Map<Integer, PartitionCursor> cursors = new TreeMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      cursors.put(partition, new PartitionCursor(0, List.of()));
    }
    return new Intake(
        RolloutGroups.RUN_ID,
        contract,
        dynamicSampling,
        book,
        GROUPS_PER_WINDOW,
        lockstep,
        cursors);
  }

  private static RolloutGroup broken(long groupId, int attempt) {
    return RolloutGroups.withResponse(
        good(groupId, attempt, groupId / GROUPS_PER_WINDOW, 0), 0, b -> b.setReward(Double.NaN));
  }

  private static RolloutGroup ofEqualRewards(long groupId, int attempt) {
    return RolloutGroups.withResponse(
        good(groupId, attempt, groupId / GROUPS_PER_WINDOW, 0), 1, b -> b.setReward(1));
  }

  private static Decoded accepted(RolloutGroup group) {
    return new Decoded.Accepted(group);
  }

  private void accept(RolloutGroup group) {
    accept(group, 0);
  }

  private void accept(RolloutGroup group, long currentVersion) {
    intake.accept(
        new RolloutCoordinate(0, nextOffset++), 10, new Decoded.Accepted(group), currentVersion);
  }

  private void assertRejected(RejectionReason reason, String field) {
    List<Rejection> rejections = intake.drainRejections();
    assertThat(rejections).hasSize(1);
    assertThat(rejections.get(0).reason()).isEqualTo(reason);
    assertThat(rejections.get(0).field()).isEqualTo(field);
  }
}
