package org.p3ostream.learner.runtime;

import org.p3ostream.schemas.avro.StepEvent;

/**
 * Told what a learner has done; by the thread that does the work, a few times per step and never
 * per token, so that it must return at once.
 */
public interface LearnerObserver {

  /** Takes no notice. */
  LearnerObserver NONE =
      new LearnerObserver() {
        @Override
        public void spent(Phase phase, double millis) {}

        @Override
        public void committed(StepEvent event) {}
      };

  /** Where the time of a step goes, as in the phases of its event. */
  enum Phase {
    /** Waiting for the groups of a window. */
    WAIT,
    /** Forward pass over the window, before its ESS is known. */
    PRE_PASS,
    /** Backward pass and optimizer. */
    UPDATE,
    /** Weights to bytes. */
    ENCODE,
    /** From the beginning of a transaction to its commit. */
    COMMIT,
    /** Writing a checkpoint. */
    CHECKPOINT
  }

  /** Some time has been spent, whatever came of it. */
  void spent(Phase phase, double millis);

  /** An event is in the ledger. */
  void committed(StepEvent event);
}
