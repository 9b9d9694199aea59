package org.p3ostream.learner.audit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * Every dispatch of the ledger has its prompt, and every prompt its dispatch. First attempts are
 * two bits each once both are known; the few others are counted.
 */
final class PromptAudit {

  private record Attempt(long groupId, int attempt) {}

  /**
   * One side of a dispatch that waits for the other.
   *
   * @param policyVersion version asked for; null if it is not recorded
   */
  private record Half(String where, boolean prompt, @Nullable Long policyVersion) {}

  /** A dispatch or a prompt again, or of a later attempt; how many more dispatches than prompts. */
  private static final class Balance {
    private int dispatches;
    private int prompts;
    private int promptsToCome; // beyond the end of what must belong to the ledger
    private long versions; // asked for by the dispatches, minus those of the prompts
    private boolean anyUnknown;
    private String where = "";

    private void weigh(String place, @Nullable Long policyVersion, int sign) {
      where = place;
      anyUnknown |= policyVersion == null;
      versions += policyVersion == null ? 0 : sign * policyVersion;
    }
  }

  private final AuditScope scope;
  private final Problems problems;
  private final TrimAudit trims;
  private final String topic;
  private final int partitions;
  private final SparseBits dispatched = new SparseBits();
  private final SparseBits prompted = new SparseBits();
  private final SparseBits later = new SparseBits(); // prompts beyond what the ledger must know
  private final Map<Attempt, Balance> balances = new HashMap<>();
  private final Map<Long, Half> halves = new HashMap<>();
  private final SparseBits repeated = new SparseBits(); // first attempts dispatched again
  private final Set<Integer> begun = new HashSet<>(); // partitions that a prompt was seen of
  private final Map<Integer, Long> firstWhole = new HashMap<>(); // by partition, see finish
  private long groupsPerWindow;
  private long prompts;
  private long trimmed;

  PromptAudit(AuditScope scope, Problems problems, TrimAudit trims) {
    this.scope = scope;
    this.problems = problems;
    this.trims = trims;
    this.topic = scope.topics().prompts().name();
    this.partitions = scope.partitions(topic);
  }

  /**
   * @param count B; 0 if it is not known, then window and slot are not checked
   */
  void groupsPerWindow(long count) {
    groupsPerWindow = count;
  }

  void dispatch(String where, StepEvent event) {
    for (DispatchedGroup group : event.getDispatched()) {
      long groupId = group.getGroupId();
      if (group.getAttempt() == 0 && dispatched.add(groupId)) {
        if (!isBeforeTheFirst(groupId)) {
          meet(groupId, new Half(where, false, group.getPolicyVersion()));
        }
      } else {
        if (group.getAttempt() == 0) {
          repeated.add(groupId);
        }
        Balance balance = balance(groupId, group.getAttempt());
        balance.dispatches++;
        balance.weigh(where, group.getPolicyVersion(), 1);
        settle(groupId, group.getAttempt(), balance);
      }
    }
  }

  /** Takes a prompt. */
  void prompt(AuditedRecord record, PromptTask task) {
    prompts++;
    String where = record.coordinate();
    if (!task.getRunId().equals(scope.runId())) {
      problems.add(
          ProblemKind.FOREIGN_RUN,
          where,
          "a prompt of group %d of run '%s', not of '%s'",
          task.getGroupId(),
          task.getRunId(),
          scope.runId());
      return; // nobody's answer to a dispatch of this run
    }
    requireContent(where, record.partition(), task);
    long groupId = task.getGroupId();
    begun.add(record.partition());
    if (task.getAttempt() == 0 && prompted.add(groupId)) {
      if (!scope.isKnown(record)) {
        later.add(groupId);
      }
      meet(groupId, new Half(where, true, task.getMinPolicyVersion()));
    } else {
      Balance balance = balance(groupId, task.getAttempt());
      if (scope.isKnown(record)) {
        balance.prompts++;
      } else {
        balance.promptsToCome++;
      }
      balance.weigh(where, task.getMinPolicyVersion(), -1);
      settle(groupId, task.getAttempt(), balance);
    }
  }

  private void requireContent(String where, int partition, PromptTask task) {
    long groupId = task.getGroupId();
    Long exact = task.getExactPolicyVersion();
    boolean placed =
        groupsPerWindow == 0
            || (task.getWindowIndex() == Math.floorDiv(groupId, groupsPerWindow)
                && task.getSlot() == Math.floorMod(groupId, groupsPerWindow));
    if (!placed
        || partition != Math.floorMod(groupId, partitions)
        || (exact != null && exact != task.getMinPolicyVersion())) {
      problems.add(
          ProblemKind.PROMPT_MISMATCH,
          where,
          "group %d, window %d, slot %d, from version %d, exactly %s",
          groupId,
          task.getWindowIndex(),
          task.getSlot(),
          task.getMinPolicyVersion(),
          exact);
    }
  }

  /** A first attempt whose other side may be waiting. */
  private void meet(long groupId, Half half) {
    Half other = halves.remove(groupId);
    if (other == null) {
      halves.put(groupId, half);
      return;
    }
    Long one = half.policyVersion();
    Long two = other.policyVersion();
    if (one != null && two != null && !one.equals(two)) {
      Half prompt = half.prompt() ? half : other;
      Half dispatch = half.prompt() ? other : half;
      problems.add(
          ProblemKind.PROMPT_MISMATCH,
          prompt.where(),
          "asks for version %s of group %d, %s dispatched it for version %s",
          prompt.policyVersion(),
          groupId,
          dispatch.where(),
          dispatch.policyVersion());
    }
  }

  /** Prompts below the first one of a trimmed partition will not come. */
  private boolean isBeforeTheFirst(long groupId) {
    int partition = partitionOf(groupId);
    return scope.firstOffset(topic, partition) > 0 && !begun.contains(partition);
  }

  private Balance balance(long groupId, int attempt) {
    return balances.computeIfAbsent(new Attempt(groupId, attempt), key -> new Balance());
  }

  private void settle(long groupId, int attempt, Balance balance) {
    if (balance.dispatches != balance.prompts || balance.promptsToCome > 0) {
      return;
    }
    balances.remove(new Attempt(groupId, attempt));
    if (balance.versions != 0 && !balance.anyUnknown) {
      problems.add(
          ProblemKind.PROMPT_MISMATCH,
          balance.where,
          "prompt and dispatch of group %d attempt %d ask for versions that are %d apart",
          groupId,
          attempt,
          Math.abs(balance.versions));
    }
  }

  void finish(String ledger) {
    if (!scope.exists(topic)) {
      return;
    }
    findFirstWhole();
    dispatched.forEach(
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        groupId -> {
          if (!prompted.contains(groupId)) {
            missing(groupId, 0, halves.containsKey(groupId) ? halves.get(groupId).where() : ledger);
          }
        });
    prompted.forEach(
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        groupId -> {
          if (!dispatched.contains(groupId) && !later.contains(groupId)) {
            unrecorded(
                groupId, 0, halves.containsKey(groupId) ? halves.get(groupId).where() : topic);
          }
        });
    balances.forEach(
        (key, balance) -> {
          if (balance.dispatches > balance.prompts + balance.promptsToCome) {
            missing(key.groupId(), key.attempt(), balance.where);
          } else if (balance.prompts > balance.dispatches) {
            unrecorded(key.groupId(), key.attempt(), balance.where);
          }
        });
  }

  /**
   * The first group of every partition whose prompts are all there, however much was trimmed: its
   * only first attempt is, and first attempts are dispatched in the order of their groups.
   */
  private void findFirstWhole() {
    prompted.forEach(
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        groupId -> {
          if (!repeated.contains(groupId)) {
            firstWhole.putIfAbsent(partitionOf(groupId), groupId);
          }
        });
  }

  private int partitionOf(long groupId) {
    return (int) Math.floorMod(groupId, Math.max(1, partitions));
  }

  private void missing(long groupId, int attempt, String where) {
    int partition = partitionOf(groupId);
    if (trims.isTrimmed(topic, partition)
        && groupId < firstWhole.getOrDefault(partition, Long.MAX_VALUE)) {
      trimmed++;
    } else {
      problems.add(
          ProblemKind.PROMPT_MISSING,
          where,
          "dispatches group %d attempt %d, its prompt is not in %s-%d",
          groupId,
          attempt,
          topic,
          partition);
    }
  }

  private void unrecorded(long groupId, int attempt, String where) {
    problems.add(
        ProblemKind.PROMPT_UNRECORDED,
        where,
        "a prompt of group %d attempt %d that the ledger did not dispatch",
        groupId,
        attempt);
  }

  long prompts() {
    return prompts;
  }

  long trimmed() {
    return trimmed;
  }
}
