package org.p3ostream.learner.dispatch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * When a dispatched group counts as lost: {@code timeout · 2^n} after its n-th further dispatch.
 * Pure: the caller tells the time, in milliseconds on any clock that does not go back. A learner
 * that was restarted counts anew: what it was away for is no sign of a loss.
 */
public final class DispatchDeadlines {
  private static final int MOST_DOUBLINGS = 20;

  private record Deadline(int topUps, long atMs) {}

  private final long timeoutMs;
  private final TreeMap<Long, Deadline> byGroup = new TreeMap<>();

  /**
   * @param timeoutMs how long a first dispatch may take
   */
  public DispatchDeadlines(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /**
   * Takes note of what is open now: new dispatches begin to count, settled groups are forgotten.
   */
  public void observe(DispatchBook book, long nowMs) {
    Map<Long, DispatchBook.Dispatched> open = book.open();
    byGroup.keySet().retainAll(open.keySet());
    open.forEach(
        (groupId, dispatched) -> {
          Deadline known = byGroup.get(groupId);
          if (known == null || known.topUps() != dispatched.topUps()) {
            byGroup.put(groupId, new Deadline(dispatched.topUps(), deadline(dispatched, nowMs)));
          }
        });
  }

  private long deadline(DispatchBook.Dispatched dispatched, long nowMs) {
    return nowMs + (timeoutMs << Math.min(dispatched.topUps(), MOST_DOUBLINGS));
  }

  /**
   * Open groups whose time is over, ascending; which of them have come is for the caller to say.
   */
  public List<Long> expired(long nowMs) {
    return byGroup.entrySet().stream()
        .filter(entry -> entry.getValue().atMs() <= nowMs)
        .map(Map.Entry::getKey)
        .toList();
  }
}
