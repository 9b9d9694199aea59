package org.p3ostream.learner.audit;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * The ledger as a chain: hashes, the order of windows and versions, the definition in force. After
 * a break it goes on from the event that was found, so that one break is one problem.
 */
final class ChainAudit {

  private final AuditScope scope;
  private final Problems problems;
  private String lastHash = EventHash.NONE;
  private @Nullable String hashBeforeUnreadable;
  private boolean afterDamage;
  private long events;
  private long settled;
  private boolean opened;
  private long nextWindow;
  private long policyVersion;
  private long learnerEpoch;
  private String weightsSha256 = "";
  private String configHash = "";

  ChainAudit(AuditScope scope, Problems problems) {
    this.scope = scope;
    this.problems = problems;
  }

  /** A record of the ledger that is no event. The next event may follow it or what was before. */
  void unreadable(AuditedRecord record) {
    problems.add(
        ProblemKind.UNREADABLE, record.coordinate(), "no step event: %s", record.description());
    hashBeforeUnreadable = hashBeforeUnreadable == null ? lastHash : hashBeforeUnreadable;
    lastHash = record.hash();
    events++;
  }

  /** Events that nobody can read any more: what follows them cannot be held against them. */
  void damaged() {
    afterDamage = true;
  }

  void event(String where, StepEvent event, String hash) {
    requireRun(where, event);
    requireChained(where, event);
    requireGenesis(where, event);
    requireOrder(where, event);
    requireDefinition(where, event);
    if (event.getLearnerEpoch() < learnerEpoch) {
      problems.add(
          ProblemKind.EPOCH_ORDER,
          where,
          "written by learner epoch %d after epoch %d had taken over",
          event.getLearnerEpoch(),
          learnerEpoch);
    }
    learnerEpoch = Math.max(learnerEpoch, event.getLearnerEpoch());
    policyVersion = event.getPolicyVersionAfter();
    weightsSha256 = event.getWeightsSha256();
    lastHash = hash;
    hashBeforeUnreadable = null;
    afterDamage = false;
    events++;
  }

  private void requireRun(String where, StepEvent event) {
    if (events == 0 && !event.getRunId().equals(scope.expectedRunId())) {
      problems.add(
          ProblemKind.FOREIGN_RUN,
          where,
          "the ledger belongs to run '%s', run.id says '%s'",
          event.getRunId(),
          scope.expectedRunId());
    } else if (!event.getRunId().equals(scope.runId())) {
      problems.add(
          ProblemKind.FOREIGN_RUN,
          where,
          "an event of run '%s' in the ledger of run '%s'",
          event.getRunId(),
          scope.runId());
    }
  }

  private void requireChained(String where, StepEvent event) {
    String previous = event.getPreviousEventHash();
    if (!afterDamage && !previous.equals(lastHash) && !previous.equals(hashBeforeUnreadable)) {
      problems.add(
          ProblemKind.CHAIN_BREAK,
          where,
          "%s of step %d names predecessor '%s', the event before it is '%s'",
          event.getKind(),
          event.getStep(),
          previous,
          lastHash);
    }
  }

  private void requireGenesis(String where, StepEvent event) {
    boolean genesis = event.getKind() == StepKind.GENESIS;
    if (genesis == opened) {
      problems.add(
          ProblemKind.GENESIS,
          where,
          genesis ? "a second GENESIS" : "the ledger does not begin with GENESIS but with %s",
          event.getKind());
    }
    if (!opened) {
      nextWindow = genesis ? event.getStep() + 1 : Math.max(0, event.getStep());
      policyVersion = event.getPolicyVersionBefore();
      weightsSha256 = event.getWeightsSha256();
      opened = true;
    }
  }

  private void requireOrder(String where, StepEvent event) {
    boolean inOrder = event.getKind() == StepKind.GENESIS || event.getStep() == nextWindow;
    if (!inOrder) {
      problems.add(
          ProblemKind.STEP_ORDER,
          where,
          "%s is for window %d, the next one is %d",
          event.getKind(),
          event.getStep(),
          nextWindow);
    }
    if (settles(event)) {
      settled++;
      nextWindow = Math.max(nextWindow, event.getStep() + 1);
    }
    if (inOrder) { // a repeated event repeats its version too
      requireVersion(where, event);
    }
    if (event.getKind() != StepKind.STEP
        && event.getKind() != StepKind.GENESIS
        && !event.getWeightsSha256().equals(weightsSha256)) {
      problems.add(
          ProblemKind.WEIGHTS_CHANGED,
          where,
          "%s has weights %s, before it they were %s",
          event.getKind(),
          event.getWeightsSha256(),
          weightsSha256);
    }
  }

  private void requireVersion(String where, StepEvent event) {
    long moved = event.getPolicyVersionAfter() - event.getPolicyVersionBefore();
    if (event.getPolicyVersionBefore() != policyVersion
        || moved != (event.getKind() == StepKind.STEP ? 1 : 0)) {
      problems.add(
          ProblemKind.VERSION_ORDER,
          where,
          "%s goes from version %d to %d, the run is at %d",
          event.getKind(),
          event.getPolicyVersionBefore(),
          event.getPolicyVersionAfter(),
          policyVersion);
    }
  }

  private void requireDefinition(String where, StepEvent event) {
    String configuration = event.getConfiguration();
    if (configuration != null) {
      configHash = WeightsDigest.sha256(configuration.getBytes(StandardCharsets.UTF_8));
    }
    if (!event.getConfigHash().equals(configHash)) {
      problems.add(
          ProblemKind.CONFIG_HASH,
          where,
          "%s carries the hash '%s', the definition in force has '%s'",
          event.getKind(),
          event.getConfigHash(),
          configHash);
      configHash = event.getConfigHash();
    }
  }

  static boolean settles(StepEvent event) {
    return event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
  }

  /** Records of the ledger, readable or not. */
  long events() {
    return events;
  }

  /** STEP and NO_OP events. */
  long settled() {
    return settled;
  }

  /** Window that the next STEP or NO_OP is for. */
  long nextWindow() {
    return nextWindow;
  }

  long policyVersion() {
    return policyVersion;
  }

  String weightsSha256() {
    return weightsSha256;
  }
}
