package org.p3ostream.learner.audit;

import java.util.List;
import java.util.Map;

/**
 * What an audit came to.
 *
 * @param runId run that the ledger says it is of; that of the configuration if there is none
 * @param events records of the ledger
 * @param steps windows that are over: STEP and NO_OP events
 * @param nextWindow window that is next
 * @param policyVersion version of the weights
 * @param weightsSha256 digest of the weights, hexadecimal; empty without a ledger
 * @param problemCounts how many problems of each kind there are; kinds without are left out
 * @param problems the first ones of each kind
 */
public record AuditReport(
    String runId,
    String topicPrefix,
    long events,
    long steps,
    long nextWindow,
    long policyVersion,
    String weightsSha256,
    Groups groups,
    Records records,
    Map<ProblemKind, Long> problemCounts,
    List<Problem> problems) {

  /**
   * Where the groups ended.
   *
   * @param dispatched groups, however many attempts they took
   * @param trained in the window of a STEP
   * @param passed in the window of a NO_OP
   * @param givenUp their window went without them
   * @param pending their window is still to come
   */
  public record Groups(long dispatched, long trained, long passed, long givenUp, long pending) {}

  /**
   * Visible records.
   *
   * @param rollouts of the rollouts topic
   * @param skipped of these, not trained for a reason
   * @param waiting of these, beyond the progress of the ledger
   * @param trimmed records that the ledger names and that a TRIM allowed to be deleted
   * @param snapshots versions that reproduce the digest of the ledger
   */
  public record Records(
      long rollouts,
      long skipped,
      long waiting,
      long trimmed,
      long prompts,
      long deadLetters,
      long snapshots) {}

  public AuditReport {
    problemCounts = Map.copyOf(problemCounts);
    problems = List.copyOf(problems);
  }

  /** Whether nothing is wrong. */
  public boolean ok() {
    return problemCounts.isEmpty();
  }

  /** How many problems of a kind there are. */
  public long count(ProblemKind kind) {
    return problemCounts.getOrDefault(kind, 0L);
  }

  /** All problems. */
  public long problemCount() {
    return problemCounts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Dispatched groups that ended nowhere. */
  public long lost() {
    return count(ProblemKind.LOST);
  }

  /** Groups or records that were trained again. */
  public long duplicates() {
    return count(ProblemKind.TRAINED_TWICE);
  }

  /** Events that do not follow the one before. */
  public long chainBreaks() {
    return count(ProblemKind.CHAIN_BREAK);
  }
}
