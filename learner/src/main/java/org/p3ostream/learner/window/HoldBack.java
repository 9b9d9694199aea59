package org.p3ostream.learner.window;

/**
 * How long a complete window waits before it is trained: staleness by lag in the topic, which needs
 * nothing of producers.
 *
 * <pre>  window w is due  ⇔  windows w, w + 1, …, w + min(L, steps − 1 − w) are complete  </pre>
 *
 * A window without the groups that were given up is complete. The last windows of a learner do not
 * wait for windows that it will not train.
 *
 * @param windows L ≥ 0
 * @param steps windows after which the learner ends
 */
public record HoldBack(int windows, long steps) {

  /** Whether a window may be trained. */
  public boolean isDue(long windowIndex, Intake intake) {
    return intake.isComplete(windowIndex)
        && completeInARow(windowIndex, intake) == windowsAhead(windowIndex);
  }

  /** How many windows behind this one must be complete. */
  public long windowsAhead(long windowIndex) {
    return Math.max(0, Math.min(windows, steps - 1 - windowIndex));
  }

  /** How many of these are, up to the first that is not. */
  public long completeInARow(long windowIndex, Intake intake) {
    long complete = 0;
    while (complete < windowsAhead(windowIndex) && intake.isComplete(windowIndex + 1 + complete)) {
      complete++;
    }
    return complete;
  }
}
