package org.p3ostream.learner.trim;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.TrimmedPartition;

/**
 * What the ledger says about the windows that may have to be executed again, and the newest trim.
 * Windows whose records were trimmed are forgotten, so it holds as much as the log does.
 */
public final class TrimBook {
  private final String rollouts;
  private final ArrayDeque<WindowFootprint> windows = new ArrayDeque<>();
  private final LinkedHashMap<String, Long> windowsBefore = new LinkedHashMap<>(); // by event hash
  private @Nullable ControlChange lastTrim;

  /**
   * @param rollouts full name of the topic
   */
  public TrimBook(String rollouts) {
    this.rollouts = rollouts;
  }

  /** Takes the next event of the ledger. */
  public void add(StepEvent event, String eventHash) {
    boolean settles = event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
    if (settles) {
      windows.add(WindowFootprint.of(event));
    }
    windowsBefore.put(
        eventHash,
        settles || event.getKind() == StepKind.GENESIS ? event.getStep() + 1 : event.getStep());
    ControlChange control = event.getControl();
    if (control != null && control.getKind() == ControlKind.TRIM) {
      lastTrim = control;
      forgetTrimmed(control);
    }
  }

  private void forgetTrimmed(ControlChange trim) {
    Map<Integer, Long> before = new HashMap<>();
    for (TrimmedPartition partition : trim.getTrimmed()) {
      if (partition.getTopic().equals(rollouts)) {
        before.put(partition.getPartition(), partition.getBeforeOffset());
      }
    }
    windows.stream()
        .filter(window -> isTrimmed(window, before))
        .mapToLong(WindowFootprint::window)
        .max()
        .ifPresent(trimmed -> forgetBelow(trimmed + 1));
  }

  private static boolean isTrimmed(WindowFootprint window, Map<Integer, Long> before) {
    return window.firstOffsets().entrySet().stream()
        .anyMatch(first -> first.getValue() < before.getOrDefault(first.getKey(), 0L));
  }

  private void forgetBelow(long window) {
    while (!windows.isEmpty() && windows.getFirst().window() < window) {
      windows.removeFirst();
    }
    Iterator<Long> ages = windowsBefore.values().iterator();
    while (ages.hasNext() && ages.next() < window) {
      ages.remove();
    }
  }

  /**
   * Windows that were settled when an event was committed.
   *
   * @return null if the ledger does not hold the event, or no longer all that follows it
   */
  public @Nullable Long windowsBefore(String eventHash) {
    return windowsBefore.get(eventHash);
  }

  /** The change that the newest TRIM recorded; null if there was none. */
  public @Nullable ControlChange lastTrim() {
    return lastTrim;
  }

  /** Lowest offset that a window from {@code window} on has in a partition, if any has one. */
  long firstOffset(int partition, long window, long otherwise) {
    return windows.stream()
        .filter(footprint -> footprint.window() >= window)
        .mapToLong(footprint -> footprint.firstOffsets().getOrDefault(partition, Long.MAX_VALUE))
        .reduce(otherwise, Math::min);
  }

  /** Oldest version that a window from {@code window} on was sampled by, if there is any. */
  long oldestVersion(long window, long otherwise) {
    return windows.stream()
        .filter(footprint -> footprint.window() >= window)
        .mapToLong(WindowFootprint::oldestVersion)
        .reduce(otherwise, Math::min);
  }

  /** Windows kept in mind. */
  int size() {
    return windows.size();
  }
}
