package org.p3ostream.learner.audit;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * Every dispatched group ends once: trained, passed, given up, or pending. Holds the open groups
 * and some bits for each of the others. The windows of a fork were dispatched by the other run.
 */
final class GroupAudit {

  /** Latest attempt of a group that is not settled; the version it asks for, null if not known. */
  private record Open(int attempt, @Nullable Long policyVersion) {}

  private final boolean fork;
  private final Problems problems;
  private final TreeMap<Long, Open> open = new TreeMap<>();
  private final SparseBits dispatched = new SparseBits();
  private final SparseBits trained = new SparseBits();
  private final SparseBits passed = new SparseBits();
  private final SparseBits givenUp = new SparseBits();
  private long nextGroupId;
  private long groupsPerWindow;
  private long versionsBack;

  GroupAudit(AuditScope scope, Problems problems) {
    this.fork = scope.fork() != null;
    this.problems = problems;
  }

  /**
   * @param count B; 0 if it is not known, then windows are not checked
   */
  void groupsPerWindow(long count) {
    groupsPerWindow = count;
  }

  /**
   * @param count how much older than asked for a version may be that samples, by a definition; the
   *     largest of the run counts, since what one definition admits another may train
   */
  void versionsBack(long count) {
    versionsBack = Math.max(versionsBack, count);
  }

  /** Takes the prompts that an event dispatches. */
  void dispatch(String where, StepEvent event) {
    for (DispatchedGroup group : event.getDispatched()) {
      dispatch(where, group);
    }
  }

  private void dispatch(String where, DispatchedGroup group) {
    long groupId = group.getGroupId();
    Open before = open.get(groupId);
    boolean isNew = dispatched.add(groupId);
    boolean inOrder =
        isNew
            ? groupId == nextGroupId && group.getAttempt() == 0
            : before != null
                && !givenUp.contains(groupId)
                && (group.getAttempt() == before.attempt()
                    || group.getAttempt() == before.attempt() + 1);
    if (!inOrder) {
      problems.add(
          ProblemKind.DISPATCH_ORDER,
          where,
          "dispatches group %d attempt %d: %s",
          groupId,
          group.getAttempt(),
          isNew
              ? "the next new group is " + nextGroupId + ", attempt 0"
              : before == null || givenUp.contains(groupId)
                  ? "it is settled"
                  : "its attempt before was " + before.attempt());
    }
    if (isNew || before != null) {
      Long recorded = group.getPolicyVersion();
      Long version = recorded == null && before != null ? before.policyVersion() : recorded;
      open.put(groupId, new Open(group.getAttempt(), version));
    }
    nextGroupId = Math.max(nextGroupId, groupId + 1);
  }

  /**
   * Takes an entry of the window that a STEP trains or a NO_OP passes.
   *
   * @return false if the group was settled before
   */
  boolean settle(String where, StepEvent event, WindowEntry entry, boolean isTrained) {
    long groupId = entry.getGroupId();
    requireWindow(where, event, groupId);
    if (!fork) {
      requireDispatched(where, entry);
    }
    if (!fork && entry.getPolicyVersion() > event.getPolicyVersionBefore()) {
      problems.add(
          ProblemKind.POLICY_VERSION,
          where,
          "group %d was sampled by version %d, the step starts from version %d",
          groupId,
          entry.getPolicyVersion(),
          event.getPolicyVersionBefore());
    }
    if (givenUp.contains(groupId)) {
      problems.add(
          ProblemKind.GIVEN_UP_TWICE, where, "group %d was given up and is settled", groupId);
    }
    boolean again = trained.contains(groupId) || passed.contains(groupId);
    (isTrained ? trained : passed).add(groupId);
    return !again;
  }

  private void requireWindow(String where, StepEvent event, long groupId) {
    if (groupsPerWindow > 0 && Math.floorDiv(groupId, groupsPerWindow) != event.getStep()) {
      problems.add(
          ProblemKind.WRONG_WINDOW,
          where,
          "group %d belongs to window %d, the event is for window %d",
          groupId,
          Math.floorDiv(groupId, groupsPerWindow),
          event.getStep());
    }
  }

  private void requireDispatched(String where, WindowEntry entry) {
    Open asked = open.get(entry.getGroupId());
    if (!dispatched.contains(entry.getGroupId())) {
      problems.add(
          ProblemKind.NOT_DISPATCHED, where, "nobody dispatched group %d", entry.getGroupId());
    } else if (asked != null && asked.attempt() != entry.getAttempt()) {
      problems.add(
          ProblemKind.NOT_DISPATCHED,
          where,
          "group %d attempt %d is in the window, dispatched last is attempt %d",
          entry.getGroupId(),
          entry.getAttempt(),
          asked.attempt());
    }
    Long oldest = asked == null ? null : asked.policyVersion();
    if (oldest != null && entry.getPolicyVersion() < oldest - versionsBack) {
      problems.add(
          ProblemKind.POLICY_VERSION,
          where,
          "group %d was sampled by version %d, version %d was asked for",
          entry.getGroupId(),
          entry.getPolicyVersion(),
          oldest);
    }
  }

  /** Takes the groups that an event gives up: an INTERIM in advance, the window's own at last. */
  void giveUp(String where, StepEvent event) {
    boolean inAdvance = event.getKind() == StepKind.INTERIM;
    for (long groupId : event.getMissingGroups()) {
      if (!inAdvance) {
        requireWindow(where, event, groupId);
      }
      if (!fork && !dispatched.contains(groupId)) {
        problems.add(
            ProblemKind.NOT_DISPATCHED,
            where,
            "gives up group %d, which nobody dispatched",
            groupId);
      }
      boolean again = !givenUp.add(groupId) && inAdvance;
      if (again || trained.contains(groupId) || passed.contains(groupId)) {
        problems.add(
            ProblemKind.GIVEN_UP_TWICE,
            where,
            "gives up group %d, which is %s",
            groupId,
            again ? "given up" : "settled");
      }
    }
  }

  /** Closes a window: whatever of it is not settled is lost. */
  void close(String where, long window) {
    for (long groupId = window * groupsPerWindow;
        groupId < (window + 1) * groupsPerWindow;
        groupId++) {
      open.remove(groupId);
      boolean isSettled =
          trained.contains(groupId) || passed.contains(groupId) || givenUp.contains(groupId);
      if (isSettled) {
        continue;
      }
      if (fork || dispatched.contains(groupId)) {
        lose(where, groupId, window);
      } else {
        problems.add(
            ProblemKind.NOT_DISPATCHED,
            where,
            "window %d is over, its group %d was never dispatched",
            window,
            groupId);
      }
    }
  }

  private void lose(String where, long groupId, long window) {
    problems.add(
        ProblemKind.LOST,
        where,
        "window %d is over, its group %d was neither trained, passed nor given up",
        window,
        groupId);
  }

  /**
   * Counts what is left.
   *
   * @param nextWindow first window that is not over
   */
  AuditReport.Groups finish(String ledger, long nextWindow) {
    long pending = 0;
    for (long groupId : open.keySet()) {
      boolean isSettled =
          trained.contains(groupId) || passed.contains(groupId) || givenUp.contains(groupId);
      if (isSettled) {
        continue;
      }
      if (groupsPerWindow > 0 && groupId < nextWindow * groupsPerWindow) {
        lose(ledger, groupId, Math.floorDiv(groupId, groupsPerWindow));
      } else {
        pending++;
      }
    }
    return new AuditReport.Groups(
        dispatched.size(), trained.size(), passed.size(), givenUp.size(), pending);
  }
}
