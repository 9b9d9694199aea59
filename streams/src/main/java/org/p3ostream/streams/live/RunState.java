package org.p3ostream.streams.live;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a run is doing, judged by its ledger and a clock. */
public enum RunState {
  /** No step yet. */
  WAITING,
  /** Steps come. */
  RUNNING,
  /** No step for {@link #patience}, though the run has further ones. */
  STALLED,
  /** Steps and schedule of the run are through, and no further steps come. */
  FINISHED;

  /** Shortest time without a step that counts as a stall. */
  public static final Duration SHORTEST_STALL = Duration.ofSeconds(60);

  /** A stall is this many times as long as a step usually takes. */
  public static final int STALL_STEPS = 10;

  /** Steps whose median is what a step usually takes. */
  public static final int USUAL_OF = 50;

  /** A run that went past its steps is at work as long as steps come this often. */
  private static final Duration EXTENSION_PAUSE = Duration.ofSeconds(10);

  /**
   * The state at {@code now}.
   *
   * @param now milliseconds since the epoch
   */
  public static RunState of(StepLog log, long now) {
    RunOrigin origin = log.origin();
    List<StepView> newest = log.newest(USUAL_OF);
    if (newest.isEmpty()) {
      boolean overdue = origin != null && now - origin.startedAt() > 2 * SHORTEST_STALL.toMillis();
      return overdue ? STALLED : WAITING;
    }
    StepView last = newest.get(newest.size() - 1);
    long silent = now - last.committedAt();
    if (isThrough(last.step() + 1, origin, log.runSteps())) {
      return silent > EXTENSION_PAUSE.toMillis() ? FINISHED : RUNNING;
    }
    return silent > patience(newest).toMillis() ? STALLED : RUNNING;
  }

  /** The schedule is of the learning rate: a run may have more steps or fewer. */
  private static boolean isThrough(
      long passed, @Nullable RunOrigin origin, @Nullable Long runSteps) {
    if (runSteps != null && passed == runSteps) {
      return true;
    }
    Long scheduled = origin == null ? null : origin.scheduleSteps();
    return scheduled != null && passed >= Math.max(scheduled, runSteps == null ? 0 : runSteps);
  }

  /**
   * How long no step may come before the run counts as stalled.
   *
   * <pre>  max(60 s, 10 × median of stepMillis)  </pre>
   *
   * @param newest the newest steps, at most {@link #USUAL_OF}
   */
  public static Duration patience(List<StepView> newest) {
    Long usual = medianMillis(newest);
    Duration steps = Duration.ofMillis(usual == null ? 0 : STALL_STEPS * usual);
    return steps.compareTo(SHORTEST_STALL) > 0 ? steps : SHORTEST_STALL;
  }

  /** Median of the times of {@code steps}, milliseconds; null if none is known. */
  public static @Nullable Long medianMillis(List<StepView> steps) {
    long[] millis =
        steps.stream()
            .map(StepView::stepMillis)
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .sorted()
            .toArray();
    return millis.length == 0 ? null : millis[millis.length / 2];
  }
}
