package org.p3ostream.learner.audit;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * What is remembered of a rollout record until the ledger has named it.
 *
 * @param readable whether it is a rollout group; if not, the other fields say nothing
 * @param runId run it is of; null if it is the one that is audited
 * @param policyVersion oldest version that sampled a token; -1 without responses
 * @param valueBytes size of its value
 */
record RolloutFacts(
    boolean readable,
    @Nullable String runId,
    long groupId,
    long windowIndex,
    int attempt,
    long policyVersion,
    int valueBytes) {

  static RolloutFacts of(AuditedRecord record, String runId) {
    RolloutGroup group = record.as(RolloutGroup.class);
    if (group == null) {
      return new RolloutFacts(false, null, -1, -1, -1, -1, record.valueBytes());
    }
    return new RolloutFacts(
        true,
        group.getRunId().equals(runId) ? null : group.getRunId(),
        group.getGroupId(),
        group.getWindowIndex(),
        group.getAttempt(),
        group.getResponses().stream().mapToLong(Response::getPolicyVersion).min().orElse(-1),
        record.valueBytes());
  }

  boolean isForeign() {
    return runId != null;
  }

  @Override
  public String toString() {
    return !readable
        ? "no rollout group"
        : "group %d attempt %d of window %d, sampled by version %d%s"
            .formatted(
                groupId,
                attempt,
                windowIndex,
                policyVersion,
                runId == null ? "" : ", of run '" + runId + "'");
  }
}
