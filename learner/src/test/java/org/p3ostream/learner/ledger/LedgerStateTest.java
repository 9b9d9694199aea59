package org.p3ostream.learner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.learner.ledger.StepEvents.dispatched;
import static org.p3ostream.learner.ledger.StepEvents.event;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

class LedgerStateTest {

  private static final int GROUPS_PER_WINDOW = 2;

  private final LedgerState ledger = new LedgerState(StepEvents.RUN_ID, GROUPS_PER_WINDOW);

  @Test
  void emptyLedgerAwaitsGenesis() {
    assertThat(ledger.isEmpty()).isTrue();
    assertThat(ledger.lastEventHash()).isEqualTo(EventHash.NONE);
    assertThat(ledger.learnerEpoch()).isZero();
    assertThatThrownBy(ledger::genesis).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void applyFoldsTheLedgerIntoTheStateOfTheRun() {
    StepEvent genesis =
        event(StepKind.GENESIS, -1, 0, EventHash.NONE).setDispatched(dispatched(0, 4)).build();
    ledger.apply(genesis, "h0");
    assertThat(ledger.isEmpty()).isFalse();
    assertThat(ledger.genesis()).isEqualTo(genesis);
    assertThat(ledger.nextWindow()).isZero();
    assertThat(ledger.dispatched().openGroups()).isEqualTo(4);

    ledger.apply(
        event(StepKind.INTERIM, 0, 0, "h0")
            .setDispatched(List.of(new DispatchedGroup(1L, 1, null)))
            .setProgress(
                List.of(
                    new PartitionProgress(1, 4L, List.of(), List.of()),
                    new PartitionProgress(0, 2L, List.of(5L), List.of())))
            .setLearnerEpoch(3)
            .build(),
        "h1");
    assertThat(ledger.nextWindow()).isZero();
    assertThat(ledger.dispatched().find(1)).isEqualTo(new DispatchBook.Dispatched(1, 0, 1, false));

    ledger.apply(step(0, 0, "h1", dispatched(4, 6)), "h2");
    assertThat(ledger.nextWindow()).isEqualTo(1);
    assertThat(ledger.policyVersion()).isEqualTo(1);
    assertThat(ledger.weightsSha256()).isEqualTo("weights-1");
    assertThat(ledger.dispatched().find(1)).isNull();
    assertThat(ledger.dispatched().find(4)).isEqualTo(new DispatchBook.Dispatched(0, 1, 0, false));

    ledger.apply(
        event(StepKind.NO_OP, 1, 1, "h2")
            .setDispatched(dispatched(6, 8))
            .setProgress(List.of(new PartitionProgress(0, 9L, List.of(), List.of())))
            .build(),
        "h3");
    assertThat(ledger.nextWindow()).isEqualTo(2);
    assertThat(ledger.policyVersion()).isEqualTo(1);
    assertThat(ledger.dispatched().find(6)).isEqualTo(new DispatchBook.Dispatched(0, 1, 0, false));
    assertThat(ledger.windowsSince(1)).isEqualTo(1); // a no-op
    assertThat(ledger.windowsSince(0)).isEqualTo(2);
    assertThat(ledger.lastEventHash()).isEqualTo("h3");
    assertThat(ledger.learnerEpoch()).isEqualTo(3);
    assertThat(ledger.progress())
        .containsExactly(
            new PartitionProgress(0, 9L, List.of(), List.of()),
            new PartitionProgress(1, 4L, List.of(), List.of()));
    assertThat(ledger.genesis()).isEqualTo(genesis);
  }

  @Test
  void applyTakesTheVersionAskedForFromTheEventThatRecordsIt() {
    ledger.apply(
        event(StepKind.GENESIS, -1, 0, EventHash.NONE).setDispatched(dispatched(0, 2)).build(),
        "h0");
    List<DispatchedGroup> older =
        List.of(new DispatchedGroup(2L, 0, 0L), new DispatchedGroup(3L, 0, 0L));
    ledger.apply(step(0, 0, "h0", older), "h1");
    assertThat(ledger.policyVersion()).isEqualTo(1);
    assertThat(ledger.dispatched().find(3)).isEqualTo(new DispatchBook.Dispatched(0, 0, 0, false));
  }

  @Test
  void applyKeepsTheVersionOfAGroupThatIsDispatchedAgainUnlessTheEventRecordsAnother() {
    ledger.apply(
        event(StepKind.GENESIS, -1, 0, EventHash.NONE).setDispatched(dispatched(0, 4)).build(),
        "h0");
    ledger.apply(step(0, 0, "h0", dispatched(4, 6)), "h1");
    ledger.apply(again("h1", new DispatchedGroup(2L, 1, null)), "h2");
    assertThat(ledger.dispatched().find(2)).isEqualTo(new DispatchBook.Dispatched(1, 0, 1, false));
    ledger.apply(again("h2", new DispatchedGroup(2L, 2, 1L)), "h3");
    assertThat(ledger.dispatched().find(2)).isEqualTo(new DispatchBook.Dispatched(2, 1, 2, false));
  }

  private static StepEvent again(String previousEventHash, DispatchedGroup group) {
    return event(StepKind.INTERIM, 1, 1, previousEventHash).setDispatched(List.of(group)).build();
  }

  @Test
  void applyRemembersWhatWasGivenUpUntilItsWindowIsSettled() {
    ledger.apply(
        event(StepKind.GENESIS, -1, 0, EventHash.NONE).setDispatched(dispatched(0, 4)).build(),
        "h0");
    StepEvent givesUp =
        event(StepKind.INTERIM, 0, 0, "h0").setMissingGroups(List.of(1L, 2L)).build();
    ledger.apply(givesUp, "h1");
    assertThat(ledger.dispatched().givenUp(0, 4)).containsExactly(1L, 2L);
    StepEvent again = event(StepKind.INTERIM, 0, 0, "h1").setMissingGroups(List.of(1L)).build();
    assertThatThrownBy(() -> ledger.apply(again, "h2"))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("INTERIM of step 0 group 1 cannot be given up");
    ledger.apply(
        event(StepKind.NO_OP, 0, 0, "h1")
            .setMissingGroups(List.of(1L))
            .setDispatched(dispatched(4, 6))
            .build(),
        "h2");
    assertThat(ledger.dispatched().givenUp(0, 6)).containsExactly(2L);
  }

  @Test
  void applyRemembersWhichWindowsAnOperatorSkipped() {
    ledger.apply(event(StepKind.GENESIS, -1, 0, EventHash.NONE).build(), "h0");
    ledger.apply(event(StepKind.NO_OP, 0, 0, "h0").build(), "h1");
    ledger.apply(
        event(StepKind.NO_OP, 1, 0, "h1")
            .setControl(new ControlChange(ControlKind.SKIP_WINDOW, "", List.of()))
            .build(),
        "h2");
    assertThat(ledger.wasSkipped(0)).isFalse();
    assertThat(ledger.wasSkipped(1)).isTrue();
  }

  @Test
  void applyRefusesAnotherRunByBothNames() {
    StepEvent foreign = event(StepKind.GENESIS, -1, 0, EventHash.NONE).setRunId("run-b").build();
    requireRefused(foreign, "GENESIS of step -1", "run 'run-b'", "run 'run-a'");
  }

  @Test
  void applyRefusesABrokenChain() {
    open();
    requireRefused(step(0, 0, "other", List.of()), "predecessor 'other'", "'h0'");
  }

  @Test
  void applyRefusesALedgerThatDoesNotBeginWithGenesis() {
    requireRefused(step(0, 0, EventHash.NONE, List.of()), "GENESIS must be the first event");
  }

  @Test
  void applyRefusesASecondGenesis() {
    open();
    requireRefused(event(StepKind.GENESIS, -1, 0, "h0").build(), "GENESIS must be the first event");
  }

  @Test
  void applyRefusesAWindowLeftOutOrTrainedTwice() {
    open();
    requireRefused(step(1, 0, "h0", List.of()), "window 1", "next one is 0");
    ledger.apply(step(0, 0, "h0", List.of()), "h1");
    requireRefused(step(0, 1, "h1", List.of()), "window 0", "next one is 1");
    requireRefused(event(StepKind.NO_OP, 2, 1, "h1").build(), "window 2", "next one is 1");
  }

  @Test
  void applyRefusesAVersionThatDoesNotFollow() {
    open();
    requireRefused(step(0, 1, "h0", List.of()), "starts from version 1", "at 0");
    requireRefused(
        event(StepKind.STEP, 0, 0, "h0").setPolicyVersionAfter(2).build(),
        "moves the version by 2");
    requireRefused(event(StepKind.STEP, 0, 0, "h0").build(), "moves the version by 0");
    for (StepKind kind : List.of(StepKind.NO_OP, StepKind.INTERIM, StepKind.CONTROL)) {
      requireRefused(
          event(kind, 0, 0, "h0").setPolicyVersionAfter(1).build(), "moves the version by 1");
    }
  }

  @Test
  void applyRefusesADispatchThatDoesNotFollow() {
    open();
    requireRefused(step(0, 0, "h0", dispatched(7, 8)), "STEP of step 0", "group 7 attempt 0");
  }

  @Test
  void applyRefusesAnEventOfAConfigurationThatIsNotInForce() {
    open();
    requireRefused(
        event(StepKind.NO_OP, 0, 0, "h0").setConfigHash("other").build(),
        "configuration other",
        "in force is config");
    StepEvent change =
        event(StepKind.CONTROL, 0, 0, "h0")
            .setControl(new ControlChange(ControlKind.CONFIGURATION, "a: 1 -> 2", List.of()))
            .setConfiguration("{\"a\":2}")
            .setConfigHash("other")
            .build();
    ledger.apply(change, "h1");
    assertThat(ledger.configuring()).isEqualTo(change);
    assertThat(ledger.definition().json()).isEqualTo("{\"a\":2}");
    requireRefused(event(StepKind.NO_OP, 0, 0, "h1").build(), "configuration config");
    ledger.apply(event(StepKind.NO_OP, 0, 0, "h1").setConfigHash("other").build(), "h2");
    assertThat(ledger.nextWindow()).isEqualTo(1);
  }

  @Test
  void onlyAChangeOfTheConfigurationPutsAnotherInForce() {
    open();
    requireRefused(
        event(StepKind.CONTROL, 0, 0, "h0")
            .setControl(new ControlChange(ControlKind.TRIM, "", List.of()))
            .setConfigHash("other")
            .build(),
        "configuration other");
  }

  @Test
  void forkBeginsAfterTheLastStepThatItShares() {
    ledger.apply(event(StepKind.GENESIS, 19, 18, EventHash.NONE).build(), "h0");
    assertThat(ledger.nextWindow()).isEqualTo(20);
    assertThat(ledger.policyVersion()).isEqualTo(18);
    ledger.apply(step(20, 18, "h0", List.of()), "h1");
    assertThat(ledger.nextWindow()).isEqualTo(21);
  }

  private void open() {
    ledger.apply(
        event(StepKind.GENESIS, -1, 0, EventHash.NONE).setDispatched(dispatched(0, 4)).build(),
        "h0");
  }

  private static StepEvent step(
      long step, long version, String previous, List<DispatchedGroup> dispatched) {
    return event(StepKind.STEP, step, version, previous)
        .setPolicyVersionAfter(version + 1)
        .setWeightsSha256("weights-" + (version + 1))
        .setDispatched(dispatched)
        .build();
  }

  private void requireRefused(StepEvent event, String... parts) {
    long version = ledger.policyVersion();
    String hash = ledger.lastEventHash();
    assertThatThrownBy(() -> ledger.apply(event, "hx"))
        .isInstanceOf(LedgerException.class)
        .hasMessageContainingAll(parts);
    assertThat(ledger.policyVersion()).isEqualTo(version);
    assertThat(ledger.lastEventHash()).isEqualTo(hash);
  }
}
