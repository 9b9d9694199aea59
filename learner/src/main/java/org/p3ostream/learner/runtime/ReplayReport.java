package org.p3ostream.learner.runtime;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.CheckpointInventory.PassedOver;

/**
 * What came of a replay.
 *
 * @param from first step asked for
 * @param to last step asked for
 * @param start where it started from, in words
 * @param executedBefore steps that were executed to get to the first one
 * @param steps those asked for, in order, and earlier ones that differ
 * @param passedOver checkpoints that could not be started from
 * @param failure why it ended before the last step; null if it did not
 * @param millis how long it took
 */
public record ReplayReport(
    long from,
    long to,
    String start,
    long executedBefore,
    List<ReplayedStep> steps,
    List<PassedOver> passedOver,
    @Nullable String failure,
    long millis) {
  public ReplayReport {
    steps = List.copyOf(steps);
    passedOver = List.copyOf(passedOver);
  }

  /** Steps asked for that gave what was recorded. */
  public long identical() {
    return steps.stream().filter(step -> step.step() >= from && step.isIdentical()).count();
  }

  /** Whether everything was replayed, is as it was recorded, and nothing was found damaged. */
  public boolean isOk() {
    return failure == null
        && identical() == to - from + 1
        && steps.stream().allMatch(ReplayedStep::isIdentical)
        && passedOver.stream().noneMatch(PassedOver::damaged);
  }
}
