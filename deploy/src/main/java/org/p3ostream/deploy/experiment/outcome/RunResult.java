package org.p3ostream.deploy.experiment.outcome;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that is over, well or not. What it says of learning is a function of the plan; its trace
 * and its cost are of the one time that it was executed.
 *
 * @param format of the file; see {@link #FORMAT}
 * @param id unique in the plan
 * @param scenario name
 * @param algorithm name
 * @param failure why it ended before its last step, or could not be measured; null if it did
 * @param warmStartReward held-out reward of version 0
 * @param evaluations held-out rewards, ascending by step; empty if it could not be measured
 * @param audit null if it could not be audited
 * @param steps windows that were passed
 */
public record RunResult(
    int format,
    String id,
    String scenario,
    String algorithm,
    long seed,
    @Nullable String failure,
    double warmStartReward,
    List<Evaluated> evaluations,
    @Nullable Audited audit,
    List<StepFigures> steps,
    RunTrace trace,
    RunCost cost) {

  /** Raised when files of before can no longer be read, or mean something else. */
  public static final int FORMAT = 1;

  /**
   * Begins the failure of a run whose numbers broke down. That follows from its configuration and
   * its seed, and is not to be mended.
   */
  public static final String DIVERGED = "diverged: ";

  public RunResult {
    evaluations = List.copyOf(evaluations);
    steps = List.copyOf(steps);
  }

  /**
   * Whether its execution failed, so that another may come to more: a role ended early, nothing
   * went on, or it could not be measured.
   */
  public boolean failedToExecute() {
    return failure != null && !failure.startsWith(DIVERGED);
  }
}
