package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.StepEvents;

/** Checkpoints of the ledger beside one of another ledger of the same run id. */
class RecoveryTest {

  private final LedgerLog ledger = new LedgerLog(4);
  @TempDir private Path directory;

  @Test
  void readTellsTheStoreWhichCheckpointsAreThoseOfTheLedger() throws IOException {
    CheckpointStore before = store();
    ledger.save(before, 0);
    LedgerLog.saveForeign(store(), 1);
    ledger.save(before, 2);
    CheckpointStore store = store();
    read(store);
    assertThat(ledger.timesRead()).isEqualTo(1);
    assertThat(store.whole()).extracting(Checkpoint::step).containsExactly(0L, 2L);
    ledger.save(store, 3);
    assertThat(store.usable(StepEvents.RUN_ID))
        .extracting(Checkpoint::step)
        .containsExactly(3L, 2L, 1L);
  }

  @Test
  void readGoesOverTheLedgerAgainForWhatLiesBeforeACheckpointThatIsNotOfIt() throws IOException {
    ledger.save(store(), 0);
    LedgerLog.saveForeign(store(), 9);
    assertThat(read(store()).nextWindow()).isEqualTo(4);
    assertThat(ledger.timesRead()).isEqualTo(2);
  }

  private LedgerState read(CheckpointStore store) {
    LedgerState state = new LedgerState(StepEvents.RUN_ID, 1);
    new Recovery(store, StepEvents.RUN_ID).read(ledger.log().ledger(), state);
    return state;
  }

  private CheckpointStore store() {
    return new CheckpointStore(directory, LedgerLog.LAYOUT, 2);
  }
}
