package org.p3ostream.learner.audit;

import java.util.ArrayList;
import java.util.List;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;

/** Which groups trained a policy version: the windows of the events that made it. */
public final class VersionOrigin {

  /**
   * A group in the window of a step that made the version.
   *
   * @param step window
   * @param sampledBy oldest policy version that sampled a token of it
   */
  public record Trained(
      long step, long groupId, int attempt, int partition, long recordOffset, long sampledBy) {}

  private final long version;
  private final List<Trained> groups = new ArrayList<>();
  private boolean initial;

  public VersionOrigin(long version) {
    this.version = version;
  }

  public long version() {
    return version;
  }

  /** The groups, in the order of the ledger; empty for the version that the run began with. */
  public List<Trained> groups() {
    return List.copyOf(groups);
  }

  /** Whether the run began with the version: no group trained it. */
  public boolean isInitial() {
    return initial;
  }

  /** Takes the next record. */
  public void accept(AuditedRecord record) {
    StepEvent event = record.as(StepEvent.class);
    if (event == null || event.getPolicyVersionAfter() != version) {
      return;
    }
    initial |= event.getKind() == StepKind.GENESIS;
    if (event.getKind() == StepKind.STEP) {
      for (WindowEntry entry : event.getWindow()) {
        groups.add(
            new Trained(
                event.getStep(),
                entry.getGroupId(),
                entry.getAttempt(),
                entry.getPartition(),
                entry.getRecordOffset(),
                entry.getPolicyVersion()));
      }
    }
  }
}
