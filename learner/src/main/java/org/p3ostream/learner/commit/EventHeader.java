package org.p3ostream.learner.commit;

import org.p3ostream.learner.ledger.RunDefinition;

/**
 * What every event of one learner says.
 *
 * @param runId run of the ledger
 * @param definition configuration that the events are made under
 * @param algorithm id of the objective
 * @param learnerEpoch ledger maximum + 1
 */
public record EventHeader(
    String runId, RunDefinition definition, String algorithm, long learnerEpoch) {}
