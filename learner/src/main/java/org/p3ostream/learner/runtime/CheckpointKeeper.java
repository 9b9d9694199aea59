package org.p3ostream.learner.runtime;

import java.io.IOException;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps checkpoints of a run as it goes on. One that cannot be written is given up with a message:
 * the log holds the run, a checkpoint only shortens a restart.
 */
final class CheckpointKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointKeeper.class);

  private final CheckpointStore store;
  private final String runId;

  CheckpointKeeper(CheckpointStore store, String runId) {
    this.store = store;
    this.runId = runId;
  }

  /**
   * Writes a checkpoint of what the last event of the ledger left. To be called after its commit,
   * so that a checkpoint never knows more than the ledger.
   *
   * @return whether it was written
   */
  boolean save(LedgerState ledger, OptimizerState state) {
    long step = ledger.nextWindow() - 1;
    try {
      store.save(runId, step, ledger.lastEventHash(), ledger.policyVersion(), state);
      return true;
    } catch (IOException e) {
      LOG.error("no checkpoint after step {}, earlier ones are kept: {}", step, e.toString());
      return false;
    }
  }
}
