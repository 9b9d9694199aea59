package org.p3ostream.deploy.experiment.run;

import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.PlannedRun;

/** Told how far a run is, by the thread that executes it. */
interface RunListener {

  /** A warm start is made, unless it is there. */
  void preparing(PlannedRun run);

  /**
   * Training goes on.
   *
   * @param passed windows passed
   * @param newest the last of them
   */
  void training(PlannedRun run, int passed, StepFigures newest);

  /** All steps are done; what they came to is measured. */
  void measuring(PlannedRun run);
}
