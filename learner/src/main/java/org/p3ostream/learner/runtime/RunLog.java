package org.p3ostream.learner.runtime;

import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * The log of one run.
 *
 * @param readers may serve the logs of several runs, one after the other
 * @param topics of the run
 * @param runId its records carry it
 */
record RunLog(LogReaders readers, TopicCatalogue topics, String runId) {

  LedgerReader ledger() {
    return new LedgerReader(readers.ledger(), readers.codec(), topics.steps().name());
  }

  RolloutSource rollouts() {
    return new RolloutSource(readers.rollouts(), readers.codec(), topics.rollouts());
  }
}
