package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * A ledger of four windows, the second of them passed; the configuration changes before the last.
 */
class LedgerTailTest {

  @Test
  void withoutCheckpointEverythingIsCollectedUnderItsConfiguration() {
    LedgerTail tail = read(List.of(), Long.MAX_VALUE, Long.MAX_VALUE);
    assertThat(tail.start()).isNull();
    assertThat(tail.steps())
        .extracting(step -> step.event().getStep() + step.configuration())
        .containsExactly("0{}", "1{}", "2{}", "3{\"a\":1}");
    assertThat(tail.steps())
        .extracting(LedgerStep::isTrained)
        .containsExactly(true, false, true, true);
  }

  @Test
  void startIsTheNewestCheckpointThatMayBeStartedFrom() {
    Checkpoint one = checkpoint("h1", 0, 1);
    Checkpoint three = checkpoint("h3", 2, 2);
    Checkpoint changed = checkpoint("h4", 2, 2);
    List<Checkpoint> all = List.of(changed, three, one);
    assertThat(read(all, Long.MAX_VALUE, Long.MAX_VALUE).start()).isEqualTo(changed);
    assertThat(read(all, 2, Long.MAX_VALUE).steps())
        .extracting(s -> s.event().getStep())
        .containsExactly(3L);
    LedgerTail tail = read(all, 1, 2);
    assertThat(tail.start()).isEqualTo(one);
    assertThat(tail.steps()).extracting(s -> s.event().getStep()).containsExactly(1L, 2L);
    assertThat(tail.misfits()).isEmpty();
    assertThat(tail.fitting()).containsExactly(one, three, changed);
  }

  @Test
  void checkpointThatIsNotWhatItsEventSaysIsAMisfit() {
    for (Checkpoint wrong :
        List.of(
            checkpoint("h3", 1, 2),
            checkpoint("h3", 2, 1),
            new Checkpoint("run-a", "m", 2, "h3", 2, 3, "weights-2", "", ""),
            new Checkpoint("run-a", "m", 2, "h3", 2, 2, "others", "", ""),
            checkpoint("unheard of", 2, 2))) {
      LedgerTail tail = read(List.of(wrong), Long.MAX_VALUE, Long.MAX_VALUE);
      assertThat(tail.start()).isNull();
      assertThat(tail.steps()).hasSize(4);
      assertThat(tail.misfits()).extracting(LedgerTail.Misfit::checkpoint).containsExactly(wrong);
      assertThat(tail.fitting()).isEmpty();
    }
  }

  @Test
  void noMoreOfALongLedgerIsHeldThanFollowsTheNewestCheckpoint() {
    Checkpoint newest = checkpoint("h980", 979, 980);
    LongLedger ledger = new LongLedger(List.of(newest, checkpoint("h960", 959, 960)));
    ledger.take(1000);
    assertThat(ledger.mostHeld).isEqualTo(20);
    ledger.tail.complete(sink -> assertThat(sink).as("read again").isNull());
    assertThat(ledger.tail.start()).isEqualTo(newest);
    assertThat(ledger.collected()).hasSize(20).startsWith(980L).endsWith(999L);
  }

  /** As when a checkpoint is of another ledger, which came further than this one has yet. */
  @Test
  void ledgerIsReadAgainWhenTheNewestCheckpointIsNotOfIt() {
    Checkpoint own = checkpoint("h960", 959, 960);
    LongLedger ledger = new LongLedger(List.of(checkpoint("of another ledger", 1499, 1500), own));
    ledger.take(1000);
    assertThat(ledger.mostHeld).isZero();
    List<StepEvent> whatCameMeanwhile = List.of(step(1000, 1000));
    ledger.tail.complete(
        sink -> {
          ledger.events.forEach(event -> sink.event(event, "h" + (event.getStep() + 1)));
          whatCameMeanwhile.forEach(event -> sink.event(event, "h1001"));
        });
    assertThat(ledger.tail.start()).isEqualTo(own);
    assertThat(ledger.collected()).hasSize(40).startsWith(960L).endsWith(999L);
    assertThat(ledger.tail.steps().get(0).eventHash()).isEqualTo("h961");
  }

  /** Steps alone, each of which makes a version. */
  private static final class LongLedger {
    private final LedgerTail tail;
    private final List<StepEvent> events = new ArrayList<>();
    private int mostHeld;

    LongLedger(List<Checkpoint> checkpoints) {
      this.tail = new LedgerTail(checkpoints, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    void take(int windows) {
      LedgerState state = new LedgerState(StepEvents.RUN_ID, 1);
      events.add(
          StepEvents.event(StepKind.GENESIS, -1, 0, EventHash.NONE).setConfiguration("{}").build());
      for (int window = 0; window < windows; window++) {
        events.add(
            StepEvent.newBuilder(step(window, window)).setPreviousEventHash("h" + window).build());
      }
      for (StepEvent event : events) {
        String eventHash = "h" + (event.getStep() + 1);
        state.apply(event, eventHash);
        tail.take(event, eventHash, state);
        mostHeld = Math.max(mostHeld, tail.steps().size());
      }
    }

    List<Long> collected() {
      return tail.steps().stream().map(step -> step.event().getStep()).toList();
    }
  }

  private static Checkpoint checkpoint(String eventHash, long step, long version) {
    return new Checkpoint(
        "run-a", "m", step, eventHash, version, version, "weights-" + version, "", "");
  }

  private static LedgerTail read(List<Checkpoint> checkpoints, long newestStart, long lastStep) {
    LedgerTail tail = new LedgerTail(checkpoints, newestStart, lastStep);
    LedgerState state = new LedgerState(StepEvents.RUN_ID, 1);
    List<StepEvent> events =
        List.of(
            StepEvents.event(StepKind.GENESIS, -1, 0, EventHash.NONE)
                .setConfiguration("{}")
                .build(),
            step(0, 0),
            StepEvents.event(StepKind.NO_OP, 1, 1, "h1").build(),
            step(2, 1),
            StepEvents.event(StepKind.CONTROL, 3, 2, "h3")
                .setControl(new ControlChange(ControlKind.CONFIGURATION, "", List.of()))
                .setConfiguration("{\"a\":1}")
                .build(),
            step(3, 2));
    readAll(
        events,
        (event, eventHash) -> {
          state.apply(event, eventHash);
          tail.take(event, eventHash, state);
        });
    tail.complete(sink -> readAll(events, sink));
    return tail;
  }

  private static void readAll(List<StepEvent> events, LedgerReader.Sink sink) {
    for (int i = 0; i < events.size(); i++) {
      String previous = i == 0 ? EventHash.NONE : "h" + (i - 1);
      sink.event(
          StepEvent.newBuilder(events.get(i)).setPreviousEventHash(previous).build(), "h" + i);
    }
  }

  private static StepEvent step(long step, long version) {
    return StepEvents.event(StepKind.STEP, step, version, "")
        .setPolicyVersionAfter(version + 1)
        .setWeightsSha256("weights-" + (version + 1))
        .build();
  }
}
