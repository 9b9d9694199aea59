package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.StepEvents;

/** Checkpoints of the ledger beside one of another ledger of the same run id. */
class ReplayLedgerTest {

  private final LedgerLog ledger = new LedgerLog(4);
  @TempDir private Path directory;

  @Test
  void stepsAreThoseAfterTheStartThoughANewerCheckpointIsNotOfTheLedger() throws IOException {
    ledger.save(store(), 0);
    LedgerLog.saveForeign(store(), 2);
    ReplayLedger replayed = read(3L);
    assertThat(Objects.requireNonNull(replayed.start()).step()).isZero();
    assertThat(replayed.steps())
        .extracting(step -> step.event().getStep())
        .containsExactly(1L, 2L, 3L);
  }

  /** Where the replay of a trimmed run begins: what another one leaves there says nothing of it. */
  @Test
  void oldestCheckpointIsOneOfTheLedger() throws IOException {
    LedgerLog.saveForeign(store(), 0);
    ledger.save(store(), 2);
    assertThat(read(null).oldestCheckpointStep()).isEqualTo(2);
  }

  private ReplayLedger read(@Nullable Long from) {
    ReplayLedger replayed =
        new ReplayLedger(new LedgerState(StepEvents.RUN_ID, 1), store(), from, null);
    replayed.read(ledger.log());
    return replayed;
  }

  private CheckpointStore store() {
    return new CheckpointStore(directory, LedgerLog.LAYOUT, 2);
  }
}
