package org.p3ostream.learner.audit;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;

/** What happened to a group: everything that the log says of it. */
public final class GroupHistory {

  /** What can happen to a group. */
  public enum What {
    /** An event of the ledger dispatched it. */
    DISPATCHED,
    /** Its prompt was written. */
    PROMPT,
    /** A producer answered it. */
    ROLLOUT,
    /** The learner rejected an answer. */
    DEAD_LETTER,
    /** A STEP trained it. */
    TRAINED,
    /** A NO_OP passed it. */
    PASSED,
    /** Its window went without it. */
    GIVEN_UP
  }

  /**
   * One thing that happened.
   *
   * @param where topic, partition and offset of the record that says so
   * @param attempt attempt of the group; -1 if the record does not say
   * @param detail who, why, which version
   */
  public record Happening(What what, String where, int attempt, String detail) {}

  private static final Set<What> ENDS = EnumSet.of(What.TRAINED, What.PASSED, What.GIVEN_UP);

  private final long groupId;
  private final List<Happening> happenings = new ArrayList<>();

  public GroupHistory(long groupId) {
    this.groupId = groupId;
  }

  public long groupId() {
    return groupId;
  }

  /** Everything found, in the order in which the records were handed in. */
  public List<Happening> happenings() {
    return List.copyOf(happenings);
  }

  /** Whether its window has settled it. */
  public boolean isOver() {
    return happenings.stream().anyMatch(happening -> ENDS.contains(happening.what()));
  }

  /** Takes the next record. */
  public void accept(AuditedRecord record) {
    StepEvent event = record.as(StepEvent.class);
    PromptTask task = record.as(PromptTask.class);
    RolloutGroup group = record.as(RolloutGroup.class);
    DeadLetter letter = record.as(DeadLetter.class);
    if (event != null) {
      take(record, event);
    } else if (task != null && task.getGroupId() == groupId) {
      add(What.PROMPT, record, task.getAttempt(), "prompt " + task.getPromptId());
    } else if (group != null && group.getGroupId() == groupId) {
      add(What.ROLLOUT, record, group.getAttempt(), describe(group));
    } else if (letter != null && letter.getGroupId() != null && letter.getGroupId() == groupId) {
      Integer attempt = letter.getAttempt();
      String about =
          AuditedRecord.coordinate(
              letter.getSourceTopic(), letter.getSourcePartition(), letter.getSourceOffset());
      add(
          What.DEAD_LETTER,
          record,
          attempt == null ? -1 : attempt,
          about + " " + letter.getReason() + ": " + letter.getCause());
    }
  }

  private static String describe(RolloutGroup group) {
    long version =
        group.getResponses().stream().mapToLong(Response::getPolicyVersion).min().orElse(-1);
    String failure = group.getFailure();
    return "by producer "
        + group.getProducerId()
        + (failure == null ? ", policy version " + version : ", failed: " + failure);
  }

  private void take(AuditedRecord record, StepEvent event) {
    for (DispatchedGroup group : event.getDispatched()) {
      if (group.getGroupId() == groupId) {
        Long version = group.getPolicyVersion();
        add(
            What.DISPATCHED,
            record,
            group.getAttempt(),
            place(event) + (version == null ? "" : ", asked for policy version " + version));
      }
    }
    for (WindowEntry entry : event.getWindow()) {
      if (entry.getGroupId() == groupId) {
        add(
            event.getKind() == StepKind.STEP ? What.TRAINED : What.PASSED,
            record,
            entry.getAttempt(),
            "%s, from partition %d offset %d, sampled by policy version %d"
                .formatted(
                    place(event),
                    entry.getPartition(),
                    entry.getRecordOffset(),
                    entry.getPolicyVersion()));
      }
    }
    if (event.getMissingGroups().contains(groupId)) {
      add(What.GIVEN_UP, record, -1, place(event));
    }
  }

  private static String place(StepEvent event) {
    return event.getKind() + " of step " + event.getStep();
  }

  private void add(What what, AuditedRecord record, int attempt, String detail) {
    happenings.add(new Happening(what, record.coordinate(), attempt, detail));
  }
}
